#include "actors/load/rate_curve.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "actors/fixed_math.h"
#include "messages/assert.h"

namespace troupe::load {
namespace {

class PhaseCurve final : public RateCurve {
 public:
  explicit PhaseCurve(const Phases& phases) : repeat_(phases.repeat()) {
    Duration end{0};
    for (const Phases::Phase& phase : phases.phases()) {
      const bool for_ever = phase.for_ns() == 0;
      TROUPE_ASSERT(phase.for_ns() >= 0, "a phase of negative length");
      TROUPE_ASSERT(phase.rate_micro_per_s() >= 0, "a negative rate");
      end = for_ever ? Duration::max() : end + Duration{phase.for_ns()};
      steps_.push_back({phase.rate_micro_per_s(), end});
      any_rate_ = any_rate_ || phase.rate_micro_per_s() > 0;
      if (for_ever) break;
    }
  }

  std::optional<RatePiece> at(Duration since_start) const override {
    if (!any_rate_) return std::nullopt;
    const Duration whole = steps_.back().end;
    if (repeat_) since_start %= whole;
    const auto step = std::upper_bound(steps_.begin(), steps_.end(), since_start,
                                       [](Duration t, const Step& one) { return t < one.end; });
    if (step == steps_.end()) return std::nullopt;
    if (step->rate_micro_per_s == 0 && step->end == Duration::max()) return std::nullopt;
    return RatePiece{step->rate_micro_per_s, step->end - since_start};
  }

 private:
  struct Step {
    std::int64_t rate_micro_per_s;
    Duration end;
  };
  std::vector<Step> steps_;
  bool repeat_;
  bool any_rate_ = false;
};

class DiurnalCurve final : public RateCurve {
 public:
  explicit DiurnalCurve(const Diurnal& diurnal)
      : mean_(diurnal.mean_micro_per_s()),
        amplitude_permille_(diurnal.amplitude_permille()),
        period_(diurnal.period_ns() == 0 ? std::chrono::hours(24) : Duration{diurnal.period_ns()}),
        peak_(diurnal.peak_ns()) {
    TROUPE_ASSERT(period_.count() >= kSteps, "a period shorter than its steps");
    TROUPE_ASSERT(amplitude_permille_ <= 1000, "an amplitude above 1");
    TROUPE_ASSERT(mean_ >= 0, "a negative rate");
  }

  std::optional<RatePiece> at(Duration since_start) const override {
    if (mean_ == 0) return std::nullopt;
    const Duration within = since_start % period_;
    const Duration step = period_ / kSteps;
    const std::int64_t index = std::min<std::int64_t>(within / step, kSteps - 1);
    const Duration end = index == kSteps - 1 ? period_ : step * (index + 1);
    return RatePiece{rate_at(step * index + step / 2), end - within};
  }

 private:
  static constexpr std::int64_t kSteps = 1440;

  [[nodiscard]] std::int64_t rate_at(Duration within) const {
    const Duration since_peak = (within - peak_) % period_;
    const std::int64_t phase =
        fixed::multiply_divide(since_peak.count(), fixed::kOneQ32, period_.count());
    constexpr std::uint32_t kQuarter = std::uint32_t{1} << 30;
    const std::int64_t cosine = fixed::sine_q32(static_cast<std::uint32_t>(phase) + kQuarter);
    const std::int64_t swing = fixed::multiply_divide(mean_, amplitude_permille_, 1000);
    return std::max<std::int64_t>(0, mean_ + fixed::multiply_q32(swing, cosine));
  }

  std::int64_t mean_;
  std::int64_t amplitude_permille_;
  Duration period_;
  Duration peak_;
};

}  // namespace

std::unique_ptr<RateCurve> make_rate_curve(const Phases& phases) {
  return std::make_unique<PhaseCurve>(phases);
}

std::unique_ptr<RateCurve> make_rate_curve(const Diurnal& diurnal) {
  return std::make_unique<DiurnalCurve>(diurnal);
}

}  // namespace troupe::load
