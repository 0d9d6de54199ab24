// When the next request of an open loop comes.
//
// A process of unit rate (a gap of exactly 1, or an exponential one) is seen through a clock that
// runs at the curve's rate: the next request comes when the integral of the rate has grown by one
// gap. So a Poisson process whose rate changes is exact, and evenly spaced requests are counted
// exactly: a rate of r for T is r * T requests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "actors/load/rate_curve.h"
#include "actors/random.h"

namespace troupe::load {

class ArrivalProcess {
 public:
  ArrivalProcess(std::unique_ptr<RateCurve> curve, Arrivals::Process process);

  /// The next arrival, since the start of the load; nothing once the curve has ended. The n-th call
  /// draws ("gap", n).
  [[nodiscard]] std::optional<Duration> next(const RandomBits& bits);

 private:
  /// The integral to the next arrival, in kRequest a request.
  [[nodiscard]] std::int64_t draw_gap(const RandomBits& bits);

  std::unique_ptr<RateCurve> curve_;
  Arrivals::Process process_;
  Duration now_{0};
  std::int64_t credit_ =
      0;  ///< what rounding the last arrival up to a nanosecond has integrated too much
  std::uint64_t drawn_ = 0;
};

}  // namespace troupe::load
