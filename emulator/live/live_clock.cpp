#include "emulator/live/live_clock.h"

#include <algorithm>

#include "messages/int128.h"

namespace troupe::live {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

}  // namespace

SimTime LiveClock::now() const {
  const std::lock_guard lock(mutex_);
  latest_ = std::max(latest_, at(Wall::now()));
  return latest_;
}

void LiveClock::set(SimTime virtual_now, std::int64_t speed_ppm) {
  const std::lock_guard lock(mutex_);
  anchor_wall_ = Wall::now();
  anchor_ = std::max(virtual_now, latest_);
  speed_ppm_ = speed_ppm;
}

std::optional<LiveClock::Wall::time_point> LiveClock::when(SimTime time) const {
  const std::lock_guard lock(mutex_);
  if (speed_ppm_ == 0) return std::nullopt;
  const Int128 ahead = Int128{(time - anchor_).count()} * kMillion;
  // Rounded up: woken then, it is not too early.
  const auto wall = static_cast<std::int64_t>((ahead + speed_ppm_ - 1) / speed_ppm_);
  return anchor_wall_ + std::chrono::nanoseconds(wall);
}

SimTime LiveClock::at(Wall::time_point wall) const {
  const Int128 passed = std::chrono::nanoseconds(wall - anchor_wall_).count();
  return anchor_ + Duration(static_cast<std::int64_t>(passed * speed_ppm_ / kMillion));
}

}  // namespace troupe::live
