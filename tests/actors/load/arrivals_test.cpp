#include "actors/load/arrivals.h"

#include <chrono>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "messages/assert.h"
#include "tests/actors/load/load_fixture.h"

namespace troupe::load {
namespace {

using namespace std::chrono_literals;

std::vector<Duration> all_of(std::unique_ptr<RateCurve> curve, Arrivals::Process process,
                             Duration until = 1000h) {
  ArrivalProcess arrivals(std::move(curve), process);
  std::vector<Duration> times;
  const RandomBits bits = seeded_bits();
  for (auto next = arrivals.next(bits); next && *next < until; next = arrivals.next(bits)) {
    times.push_back(*next);
  }
  return times;
}

std::size_t count_in(const std::vector<Duration>& times, Duration from, Duration to) {
  std::size_t count = 0;
  for (const Duration time : times) count += time >= from && time < to ? 1 : 0;
  return count;
}

TEST(ConstantArrivals, AreEvenlySpacedFromTheStart) {
  const auto times = all_of(make_rate_curve(phases_of({{2, 3s}})), Arrivals::CONSTANT);
  EXPECT_EQ(times, (std::vector<Duration>{0ms, 500ms, 1s, 1500ms, 2s, 2500ms}));
}

// A third of a second is no whole number of ns: rounding must not add up.
TEST(ConstantArrivals, AreCountedExactly) {
  EXPECT_EQ(all_of(make_rate_curve(phases_of({{3, 10s}})), Arrivals::CONSTANT).size(), 30U);
  EXPECT_EQ(all_of(make_rate_curve(phases_of({{7, 3600s}})), Arrivals::CONSTANT).size(), 25200U);
}

TEST(ConstantArrivals, KeepTheirBeatAcrossPhases) {
  // 1 request in the first 2 s leaves half a gap (1 of 2 s) over for the second phase, which runs
  // ten times as fast.
  const auto times = all_of(make_rate_curve(phases_of({{0.5, 3s}, {5, 1s}})), Arrivals::CONSTANT);
  ASSERT_GE(times.size(), 3U);
  EXPECT_EQ(times[0], 0s);
  EXPECT_EQ(times[1], 2s);
  EXPECT_EQ(times[2], 3100ms);
}

TEST(Phases, AreSilentAtRateZero) {
  const auto times =
      all_of(make_rate_curve(phases_of({{4, 10s}, {0, 100s}, {4, 10s}})), Arrivals::CONSTANT);
  EXPECT_EQ(count_in(times, 0s, 10s), 40U);
  EXPECT_EQ(count_in(times, 10s, 110s), 0U);
  EXPECT_EQ(count_in(times, 110s, 120s), 40U);
}

TEST(Phases, RepeatWhereTheyShould) {
  const auto once =
      all_of(make_rate_curve(phases_of({{1, 5s}, {0, 5s}})), Arrivals::CONSTANT, 100s);
  const auto again =
      all_of(make_rate_curve(phases_of({{1, 5s}, {0, 5s}}, true)), Arrivals::CONSTANT, 100s);
  EXPECT_EQ(once.size(), 5U);
  EXPECT_EQ(again.size(), 50U);
}

TEST(Phases, EndWhereTheRateIsZeroForEver) {
  EXPECT_TRUE(all_of(make_rate_curve(phases_of({{0, 0s}})), Arrivals::POISSON).empty());
  EXPECT_TRUE(all_of(make_rate_curve(phases_of({{0, 5s}}, true)), Arrivals::POISSON).empty());
  EXPECT_EQ(all_of(make_rate_curve(phases_of({{1, 5s}, {0, 0s}})), Arrivals::CONSTANT).size(), 5U);
}

TEST(Phases, WithoutEndGoOnForEver) {
  EXPECT_EQ(all_of(make_rate_curve(phases_of({{1, 0s}})), Arrivals::CONSTANT, 1h).size(), 3600U);
}

TEST(Phases, RefuseANegativeRate) {
  EXPECT_THROW(static_cast<void>(make_rate_curve(phases_of({{-1, 5s}}))), ContractViolation);
}

// 36,000 expected in an hour at 10/s, standard deviation 190; the gaps of a Poisson process have a
// coefficient of variation of 1.
TEST(PoissonArrivals, HaveTheRateAndTheSpreadOfTheirProcess) {
  const auto times = all_of(make_rate_curve(phases_of({{10, 3600s}})), Arrivals::POISSON);
  EXPECT_NEAR(static_cast<double>(times.size()), 36'000, 950);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double gap = std::chrono::duration<double>(times[i] - times[i - 1]).count();
    sum += gap;
    squares += gap * gap;
  }
  const double n = static_cast<double>(times.size() - 1);
  const double mean = sum / n;
  EXPECT_NEAR(std::sqrt(squares / n - mean * mean) / mean, 1.0, 0.03);
}

// A burst: 600 expected in each quiet ten minutes, 6,000 in the burst.
TEST(PoissonArrivals, FollowABurst) {
  const auto times =
      all_of(make_rate_curve(phases_of({{1, 600s}, {10, 600s}, {1, 600s}})), Arrivals::POISSON);
  EXPECT_NEAR(static_cast<double>(count_in(times, 0s, 600s)), 600, 125);
  EXPECT_NEAR(static_cast<double>(count_in(times, 600s, 1200s)), 6000, 390);
  EXPECT_NEAR(static_cast<double>(count_in(times, 1200s, 1800s)), 600, 125);
}

TEST(DiurnalArrivals, PeakWhereTheyShouldAndAverageToTheMean) {
  Diurnal diurnal;
  diurnal.set_mean_micro_per_s(per_second(1));
  diurnal.set_amplitude_permille(800);
  diurnal.set_peak_ns(ns_of(14h));
  const auto times = all_of(make_rate_curve(diurnal), Arrivals::CONSTANT, 48h);
  EXPECT_NEAR(static_cast<double>(times.size()), 2 * 86'400, 2);
  // The rate at the peak is 1.8, twelve hours later 0.2; the hour around it averages 0.989 of the
  // swing.
  EXPECT_NEAR(static_cast<double>(count_in(times, 13h + 30min, 14h + 30min)),
              3600 * (1 + 0.8 * 0.99714), 4);
  EXPECT_NEAR(static_cast<double>(count_in(times, 25h + 30min, 26h + 30min)),
              3600 * (1 - 0.8 * 0.99714), 4);
}

TEST(DiurnalArrivals, ReachZeroAtFullAmplitude) {
  Diurnal diurnal;
  diurnal.set_mean_micro_per_s(per_second(1));
  diurnal.set_amplitude_permille(1000);
  diurnal.set_period_ns(ns_of(1h));
  const auto times = all_of(make_rate_curve(diurnal), Arrivals::CONSTANT, 1h);
  EXPECT_LE(count_in(times, 29min, 31min), 1U);
}

}  // namespace
}  // namespace troupe::load
