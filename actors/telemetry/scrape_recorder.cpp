#include "actors/telemetry/scrape_recorder.h"

namespace troupe::telemetry {

void ScrapeRecorder::succeeded(const std::string& path, const LabelSet& target,
                               const ScrapeReply& reply, SimTime at) {
  SeriesSet now;
  for (const Sample& sample : reply.samples()) {
    LabelSet labels = with_target_labels(LabelSet(sample.labels()), target);
    store_.append(sample.name(), labels, {at, sample.value(), false});
    now.emplace(sample.name(), std::move(labels));
  }
  SeriesSet& before = shown_[path];
  SeriesSet gone;
  for (const SeriesId& series : before) {
    if (!now.contains(series)) gone.insert(series);
  }
  end(gone, at);
  before = std::move(now);
  up_[path] = target;
  store_.append("up", target, {at, 1.0, false});
}

void ScrapeRecorder::failed(const std::string& path, const LabelSet& target, SimTime at) {
  const auto shown = shown_.find(path);
  if (shown != shown_.end()) {
    end(shown->second, at);
    shown_.erase(shown);
  }
  up_[path] = target;
  store_.append("up", target, {at, 0.0, false});
}

void ScrapeRecorder::forget(const std::string& path, SimTime at) {
  if (const auto shown = shown_.find(path); shown != shown_.end()) {
    end(shown->second, at);
    shown_.erase(shown);
  }
  if (const auto up = up_.find(path); up != up_.end()) {
    store_.append("up", up->second, {at, 0.0, true});
    up_.erase(up);
  }
}

void ScrapeRecorder::end(const SeriesSet& series, SimTime at) {
  for (const auto& [name, labels] : series) store_.append(name, labels, {at, 0.0, true});
}

}  // namespace troupe::telemetry
