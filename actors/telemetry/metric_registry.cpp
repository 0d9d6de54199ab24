#include "actors/telemetry/metric_registry.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "messages/assert.h"

namespace troupe::telemetry {
namespace {

// The shortest text that reads back as the same number: "5", "0.25", "2.56e+03" never.
std::string bound_label(double bound) {
  std::array<char, 32> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), bound, std::chars_format::fixed);
  return {text.data(), error == std::errc{} ? end : text.data()};
}

void append(std::vector<Sample>& samples, std::string name, const LabelSet& labels, double value) {
  Sample& sample = samples.emplace_back();
  sample.set_name(std::move(name));
  sample.set_value(value);
  for (const auto& [key, text] : labels.pairs()) {
    Label& label = *sample.add_labels();
    label.set_key(key);
    label.set_value(text);
  }
}

template <class Family>
auto& series_of(Family& family, std::string_view name, const LabelSet& labels) {
  auto at = family.find(name);
  if (at == family.end())
    at = family.emplace(std::string(name), typename Family::mapped_type{}).first;
  return at->second[labels];
}

template <class Family>
void forget(Family& family, std::string_view name) {
  if (const auto at = family.find(name); at != family.end()) family.erase(at);
}

}  // namespace

void MetricRegistry::set_gauge(std::string_view name, const LabelSet& labels, double value) {
  series_of(values_, name, labels) = value;
}

void MetricRegistry::add_to_counter(std::string_view name, const LabelSet& labels, double by) {
  series_of(values_, name, labels) += by;
}

void MetricRegistry::observe(std::string_view name, const LabelSet& labels, double value,
                             std::span<const double> bounds) {
  Histogram& histogram = series_of(histograms_, name, labels);
  if (histogram.counts.empty()) {
    histogram.bounds.assign(bounds.begin(), bounds.end());
    histogram.counts.resize(bounds.size() + 1);
  }
  TROUPE_ASSERT(
      std::equal(bounds.begin(), bounds.end(), histogram.bounds.begin(), histogram.bounds.end()),
      "other buckets than before for " + std::string(name));
  const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin();
  ++histogram.counts[static_cast<std::size_t>(bucket)];
  histogram.sum += value;
}

void MetricRegistry::reset(std::string_view name) {
  forget(values_, name);
  forget(histograms_, name);
}

std::vector<Sample> MetricRegistry::samples() const {
  std::vector<Sample> samples;
  for (const auto& [name, series] : values_) {
    for (const auto& [labels, value] : series) append(samples, name, labels, value);
  }
  for (const auto& [name, series] : histograms_) {
    for (const auto& [labels, histogram] : series) {
      std::uint64_t below = 0;
      for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        below += histogram.counts[i];
        LabelSet with_bound = labels;
        with_bound.set("le",
                       i == histogram.bounds.size() ? "+Inf" : bound_label(histogram.bounds[i]));
        append(samples, name + "_bucket", with_bound, static_cast<double>(below));
      }
      append(samples, name + "_sum", labels, histogram.sum);
      append(samples, name + "_count", labels, static_cast<double>(below));
    }
  }
  return samples;
}

std::vector<double> exponential_bounds(double first, double factor, int count) {
  std::vector<double> bounds;
  for (double bound = first; count > 0; --count, bound *= factor) bounds.push_back(bound);
  return bounds;
}

}  // namespace troupe::telemetry
