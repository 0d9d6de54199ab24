// Writes the outcome of each scrape into the store: the target's samples, its `up`, and the markers
// that end a series.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

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
  using SeriesId = std::pair<std::string, LabelSet>;
  using SeriesSet = std::set<SeriesId>;

  void end(const SeriesSet& series, SimTime at);

  SeriesStore& store_;
  std::map<std::string, SeriesSet> shown_;  // by path: the series of its last good scrape
  std::map<std::string, LabelSet> up_;      // by path: the labels of its `up`
};

}  // namespace troupe::telemetry
