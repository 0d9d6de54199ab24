#include "actors/telemetry/series_store.h"

#include "messages/assert.h"

namespace troupe::telemetry {
namespace {

bool within(const Point& point, SimTime now, Duration window) {
  return !point.stale && point.time > now - window && point.time <= now;
}

}  // namespace

SeriesStore::SeriesStore(Duration retention) : retention_(retention) {
  TROUPE_ASSERT(retention > kLookback, "a retention shorter than the lookback hides series");
}

void SeriesStore::append(Points& series, const Point& point) const {
  if (!series.empty() && series.back().time > point.time) return;
  series.push_back(point);
  while (series.front().time < point.time - retention_) series.pop_front();
}

SeriesRef SeriesStore::open(const std::string& name, const LabelSet& labels) {
  SeriesRef& series = families_[name][labels];
  if (series == nullptr) series = std::make_shared<Points>();
  return series;
}

void SeriesStore::prune(SimTime now) {
  const auto outdated = [&](const auto& entry) {
    const SeriesRef& series = entry.second;
    const bool held = series.use_count() > 1;
    return !held && (series->empty() || series->back().time < now - retention_);
  };
  for (auto family = families_.begin(); family != families_.end();) {
    std::erase_if(family->second, outdated);
    family = family->second.empty() ? families_.erase(family) : std::next(family);
  }
}

const SeriesStore::Family* SeriesStore::find(std::string_view name) const {
  const auto family = families_.find(name);
  return family == families_.end() ? nullptr : &family->second;
}

std::size_t SeriesStore::series_count() const {
  std::size_t count = 0;
  for (const auto& [name, family] : families_) count += family.size();
  return count;
}

std::optional<Point> latest(const Points& points, SimTime now) {
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (point->time > now) continue;
    if (point->stale || point->time <= now - SeriesStore::kLookback) return std::nullopt;
    return *point;
  }
  return std::nullopt;
}

std::optional<double> average_over(const Points& points, SimTime now, Duration window) {
  double sum = 0.0;
  std::int64_t count = 0;
  for (const Point& point : points) {
    if (!within(point, now, window)) continue;
    sum += point.value;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::optional<double> rate_over(const Points& points, SimTime now, Duration window) {
  const Point* first = nullptr;
  const Point* last = nullptr;
  double increase = 0.0;
  for (const Point& point : points) {
    if (!within(point, now, window)) continue;
    if (first == nullptr) {
      first = &point;
    } else {
      increase += point.value < last->value ? point.value : point.value - last->value;
    }
    last = &point;
  }
  if (first == nullptr || first->time == last->time) return std::nullopt;
  const Duration span = last->time - first->time;
  return increase * 1e9 / static_cast<double>(span.count());
}

}  // namespace troupe::telemetry
