#include "actors/telemetry/scrape_recorder.h"

#include <algorithm>
#include <utility>

#include "messages/hash.h"

namespace troupe::telemetry {
namespace {

// Names a sample by its bytes, in the order in which the target wrote its labels.
std::uint64_t raw_hash(const Sample& sample) {
  std::uint64_t hash = hash_bytes(sample.name());
  for (const Label& label : sample.labels()) {
    hash = mix(hash, hash_bytes(label.key()), hash_bytes(label.value()));
  }
  return hash;
}

}  // namespace

void ScrapeRecorder::succeeded(const std::string& path, const LabelSet& target,
                               const ScrapeReply& reply, SimTime at) {
  Target& entry = targets_[path];
  std::vector<Shown> now;
  now.reserve(static_cast<std::size_t>(reply.samples_size()));
  for (const Sample& sample : reply.samples()) {
    const std::uint64_t raw = raw_hash(sample);
    SeriesRef series = take(entry.shown, now.size(), raw);
    if (series == nullptr) {
      series = store_.open(sample.name(), with_target_labels(LabelSet(sample.labels()), target));
    }
    store_.append(*series, {at, sample.value(), false});
    now.push_back({raw, std::move(series)});
  }
  end_all(entry.shown, at);
  entry.shown = std::move(now);
  set_up(entry, target, 1.0, at);
}

// Takes the series out of the last scrape's list; null if it was not in it.
SeriesRef ScrapeRecorder::take(std::vector<Shown>& before, std::size_t expected,
                               std::uint64_t raw) const {
  const auto is_it = [raw](const Shown& one) { return one.raw == raw && one.series != nullptr; };
  if (expected < before.size() && is_it(before[expected])) {
    return std::exchange(before[expected].series, nullptr);
  }
  const auto found = std::find_if(before.begin(), before.end(), is_it);
  return found == before.end() ? nullptr : std::exchange(found->series, nullptr);
}

void ScrapeRecorder::failed(const std::string& path, const LabelSet& target, SimTime at) {
  Target& entry = targets_[path];
  end_all(entry.shown, at);
  set_up(entry, target, 0.0, at);
}

void ScrapeRecorder::forget(const std::string& path, SimTime at) {
  const auto entry = targets_.find(path);
  if (entry == targets_.end()) return;
  end_all(entry->second.shown, at);
  store_.append(*entry->second.up, {at, 0.0, true});
  targets_.erase(entry);
}

void ScrapeRecorder::set_up(Target& target, const LabelSet& labels, double value, SimTime at) {
  if (target.up == nullptr) target.up = store_.open("up", labels);
  store_.append(*target.up, {at, value, false});
}

void ScrapeRecorder::end_all(std::vector<Shown>& shown, SimTime at) {
  for (const Shown& one : shown) {
    if (one.series != nullptr) store_.append(*one.series, {at, 0.0, true});
  }
  shown.clear();
}

}  // namespace troupe::telemetry
