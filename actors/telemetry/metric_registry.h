// What a controller exposes at /metrics: gauges, counters and histograms by name and labels, as a
// Prometheus client library keeps them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/telemetry/label_set.h"
#include "messages/telemetry.pb.h"

namespace troupe::telemetry {

class MetricRegistry {
 public:
  void set_gauge(std::string_view name, const LabelSet& labels, double value);
  void add_to_counter(std::string_view name, const LabelSet& labels, double by = 1);
  /// `bounds` are the upper ends of the buckets, ascending, without +Inf; the same at every call
  /// for one name.
  void observe(std::string_view name, const LabelSet& labels, double value,
               std::span<const double> bounds);
  /// Forgets all series of the name, so that none stays of what is gone.
  void reset(std::string_view name);

  /// All series, in order of names and labels.
  [[nodiscard]] std::vector<Sample> samples() const;

 private:
  struct Histogram {
    std::vector<double> bounds;
    std::vector<std::uint64_t> counts;  ///< one more than bounds
    double sum = 0;
  };
  template <class Value>
  using Family = std::map<std::string, std::map<LabelSet, Value>, std::less<>>;

  Family<double> values_;
  Family<Histogram> histograms_;
};

/// `count` bounds, each `factor` times the one before it, as Prometheus' ExponentialBuckets.
[[nodiscard]] std::vector<double> exponential_bounds(double first, double factor, int count);

}  // namespace troupe::telemetry
