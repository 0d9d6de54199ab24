// Prometheus' memory: for each series its points of the recent past.
//
// A series is known by its name and labels. Reading it at a time gives its newest point that is not
// older than the lookback of five minutes, unless a later marker says that the series had ended:
// Prometheus writes one when a target fails to answer or no longer shows the series, so one lost
// scrape hides a series until the next good one.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/telemetry/label_set.h"
#include "messages/sim_time.h"

namespace troupe::telemetry {

struct Point {
  SimTime time{};
  double value = 0.0;
  bool stale = false;  ///< a marker: the series had ended by then
};

/// The points of one series, oldest first; times never decrease.
using Points = std::deque<Point>;
/// A series that its writer holds on to, so that the next point needs no search. Shared, since the
/// store may be pruned while it is held.
using SeriesRef = std::shared_ptr<Points>;

class SeriesStore {
 public:
  /// Prometheus 2.x, --query.lookback-delta.
  static constexpr Duration kLookback = std::chrono::minutes(5);

  using Family = std::map<LabelSet, SeriesRef>;  ///< the series of one name

  /// Points older than `retention` (longer than the lookback) are dropped as newer ones come.
  explicit SeriesStore(Duration retention);

  /// Adds a point; one that is older than the newest is dropped, as out-of-order samples are.
  void append(Points& series, const Point& point) const;
  /// The series of that name and those labels; a new one is empty.
  [[nodiscard]] SeriesRef open(const std::string& name, const LabelSet& labels);
  /// Forgets series without a point since `now` - retention, except those that a writer holds.
  void prune(SimTime now);

  /// All series of that name, in order of their labels; null if there is none.
  [[nodiscard]] const Family* find(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, Family, std::less<>>& families() const {
    return families_;
  }
  [[nodiscard]] std::size_t series_count() const;

 private:
  Duration retention_;
  std::map<std::string, Family, std::less<>> families_;
};

/// The value at `now`, or none if the series is stale or was not seen within the lookback.
[[nodiscard]] std::optional<Point> latest(const Points& points, SimTime now);
/// Mean of the points in (now - window, now], as avg_over_time has it.
[[nodiscard]] std::optional<double> average_over(const Points& points, SimTime now,
                                                 Duration window);
/// Increase a second over the points in (now - window, now]; a fall is a counter's restart. Needs
/// two points. Unlike Prometheus' rate() it does not extrapolate to the edges of the window.
[[nodiscard]] std::optional<double> rate_over(const Points& points, SimTime now, Duration window);

}  // namespace troupe::telemetry
