// Writes the outcome of each scrape into the store: the target's samples, its `up`, and the markers
// that end a series.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/telemetry/series_store.h"

namespace troupe::telemetry {

class ScrapeRecorder {
 public:
  /// `store` outlives the recorder.
  explicit ScrapeRecorder(SeriesStore& store) : store_(store) {}

  /// One scrape of the target at `path`, which began at `at`: the samples' time, as Prometheus
  /// stamps them.
  void succeeded(const std::string& path, const LabelSet& target, const ScrapeReply& reply,
                 SimTime at);
  /// No answer in time, or none at all: every series of the target ends, and `up` is 0.
  void failed(const std::string& path, const LabelSet& target, SimTime at);
  /// The target is gone: every series of it ends, `up` too.
  void forget(const std::string& path, SimTime at);

 private:
  // A series of the last good scrape, under a hash of the sample as the target wrote it: most
  // scrapes show the same series in the same order, and then no label needs to be looked at.
  struct Shown {
    std::uint64_t raw = 0;
    SeriesRef series;
  };
  struct Target {
    std::vector<Shown> shown;
    SeriesRef up;
  };

  void set_up(Target& target, const LabelSet& labels, double value, SimTime at);
  void end_all(std::vector<Shown>& shown, SimTime at);
  [[nodiscard]] SeriesRef take(std::vector<Shown>& before, std::size_t expected,
                               std::uint64_t raw) const;

  SeriesStore& store_;
  std::map<std::string, Target> targets_;  // by path
};

}  // namespace troupe::telemetry
