#include "emulator/processes/pace.h"

#include <algorithm>
#include <cmath>

namespace troupe {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A person does not notice so long a wait; a run is not slowed by looking so seldom.
constexpr auto kSliceMin = milliseconds(20);
constexpr auto kSliceMax = milliseconds(100);
constexpr Duration kLengthMin = milliseconds(1);
constexpr Duration kLengthMax = std::chrono::hours(1);
// Slices of a paced run end on multiples of this.
constexpr Duration kGrid = milliseconds(1);
constexpr auto kPatienceMax = milliseconds(50);

}  // namespace

void Pace::set_speed(std::optional<double> speed, SimTime now) {
  speed_ = speed;
  resume(now);
}

void Pace::resume(SimTime now) {
  virtual_zero_ = now;
  wall_zero_ = steady_clock::now();
  asked_ = {};
}

SimTime Pace::due() const {
  const std::chrono::duration<double> wall = steady_clock::now() - wall_zero_;
  const double ns = wall.count() * *speed_ * 1e9;
  return virtual_zero_ + Duration(std::llround(std::min(ns, 9e18)));
}

std::optional<SimTime> Pace::slice(SimTime now) {
  if (speed_) {
    const SimTime until =
        kTimeZero + std::chrono::floor<milliseconds>(due() - kTimeZero) / kGrid * kGrid;
    if (until <= now) return std::nullopt;
    return until;
  }
  const auto wall = steady_clock::now();
  if (asked_ != steady_clock::time_point{}) {
    const auto took = wall - asked_;
    if (took < kSliceMin) length_ = std::min(length_ * 2, kLengthMax);
    if (took > kSliceMax) length_ = std::max(length_ / 2, kLengthMin);
  }
  asked_ = wall;
  return std::chrono::floor<milliseconds>(now) + length_;
}

milliseconds Pace::patience(SimTime now) const {
  if (!speed_) return milliseconds(0);
  const auto ahead = std::chrono::duration<double, std::milli>(now - due()).count() / *speed_;
  if (ahead < 0) return milliseconds(0);
  return std::min<milliseconds>(kPatienceMax,
                                milliseconds(static_cast<int>(std::min(ahead, 50.0)) + 1));
}

}  // namespace troupe
