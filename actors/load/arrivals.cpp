#include "actors/load/arrivals.h"

#include <algorithm>
#include <utility>

#include "actors/distribution.h"

namespace troupe::load {
namespace {

// A rate is in millionths of a request a second and time in ns: one request is 10^6 * 10^9 of their
// product.
constexpr std::int64_t kRequest = 1'000'000'000'000'000;

}  // namespace

ArrivalProcess::ArrivalProcess(std::unique_ptr<RateCurve> curve, Arrivals::Process process)
    : curve_(std::move(curve)), process_(process) {}

std::int64_t ArrivalProcess::draw_gap(const RandomBits& bits) {
  const std::uint64_t n = drawn_++;
  if (process_ == Arrivals::CONSTANT) return n == 0 ? 0 : kRequest;
  return exponential(bits("gap", n), kRequest);
}

std::optional<Duration> ArrivalProcess::next(const RandomBits& bits) {
  std::int64_t wanted = draw_gap(bits);
  const std::int64_t paid = std::min(wanted, credit_);
  wanted -= paid;
  credit_ -= paid;
  while (const std::optional<RatePiece> piece = curve_->at(now_)) {
    const std::int64_t rate = piece->rate_micro_per_s;
    const std::int64_t whole_ns = rate == 0 ? piece->left.count() : wanted / rate;
    if (whole_ns >= piece->left.count()) {
      wanted -= rate * piece->left.count();  // at most `wanted`, so it does not overflow
      now_ += piece->left;
      continue;
    }
    const std::int64_t rest = wanted % rate;
    now_ += Duration{rest == 0 ? whole_ns : whole_ns + 1};
    if (rest != 0) credit_ += rate - rest;
    return now_;
  }
  return std::nullopt;
}

}  // namespace troupe::load
