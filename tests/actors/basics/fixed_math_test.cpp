#include "actors/fixed_math.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace troupe::fixed {
namespace {

double real(std::int64_t q32) {
  return static_cast<double>(q32) / 4294967296.0;
}

// The u with u / 2^64 = p.
std::uint64_t at(double p) {
  return static_cast<std::uint64_t>(p * 18446744073709551616.0);
}

TEST(FixedMath, Log2IsExactAtPowersOfTwo) {
  for (int k = 0; k < 64; ++k) EXPECT_EQ(log2_q32(std::uint64_t{1} << k), k * kOneQ32) << k;
}

TEST(FixedMath, Log2FollowsTheRealOne) {
  for (const std::uint64_t x :
       {3ULL, 7ULL, 10ULL, 1000ULL, 123'456'789ULL, 18'000'000'000'000'000'000ULL}) {
    EXPECT_NEAR(real(log2_q32(x)), std::log2(static_cast<double>(x)), 5e-8) << x;
  }
}

TEST(FixedMath, Exp2InvertsLog2) {
  for (const std::int64_t x : {1L, 2L, 3L, 10L, 1000L, 999'999'937L, 86'400'000'000'000L}) {
    const auto back = exp2_q32(log2_q32(static_cast<std::uint64_t>(x)));
    EXPECT_NEAR(static_cast<double>(back), static_cast<double>(x),
                1e-7 * static_cast<double>(x) + 0.5)
        << x;
  }
}

TEST(FixedMath, Exp2RoundsAndSaturates) {
  EXPECT_EQ(exp2_q32(-3 * kOneQ32), 0);
  EXPECT_EQ(exp2_q32(-kOneQ32), 1);  // one half, rounded up
  EXPECT_EQ(exp2_q32(0), 1);
  EXPECT_EQ(exp2_q32(41 * kOneQ32), std::int64_t{1} << 41);
  EXPECT_EQ(exp2_q32(80 * kOneQ32), std::int64_t{1} << 62);
}

// Known quantiles of the standard normal distribution.
TEST(FixedMath, NormalQuantilesAreTheTabulatedOnes) {
  struct Known {
    double p, z;
  };
  for (const Known& known : std::vector<Known>{{0.25, 0.674489750196082},
                                               {0.1, 1.2815515655446},
                                               {0.05, 1.64485362695147},
                                               {0.025, 1.95996398454005},
                                               {0.01, 2.32634787404084},
                                               {0.001, 3.09023230616781},
                                               {0.0001, 3.71901648545568},
                                               {1e-9, 5.99780701500769}}) {
    EXPECT_NEAR(real(normal_quantile_q32(at(known.p))), -known.z, 6e-5) << known.p;
    EXPECT_NEAR(real(normal_quantile_q32(~at(known.p))), known.z, 6e-5) << known.p;
  }
  EXPECT_NEAR(real(normal_quantile_q32(std::uint64_t{1} << 63)), 0, 1e-9);
}

TEST(FixedMath, NormalQuantileIsMonotonicAndBounded) {
  std::int64_t last = normal_quantile_q32(0);
  EXPECT_GE(real(last), -7.15);
  for (std::uint64_t k = 1; k <= 4096; ++k) {
    const std::int64_t z = normal_quantile_q32(k == 4096 ? ~std::uint64_t{0} : k << 52);
    EXPECT_GE(z, last) << k;
    last = z;
  }
  EXPECT_LE(real(last), 7.15);
}

TEST(FixedMath, NormalP90IsTheTablesOwn) {
  EXPECT_NEAR(real(normal_quantile_q32(at(0.9))), real(kNormalP90Q32), 6e-5);
}

TEST(FixedMath, SineFollowsTheRealOne) {
  for (std::uint64_t k = 0; k < 1000; ++k) {
    const auto phase = static_cast<std::uint32_t>((k << 32) / 1000);
    EXPECT_NEAR(real(sine_q32(phase)), std::sin(2 * M_PI * phase / 4294967296.0), 2e-5) << k;
  }
  EXPECT_EQ(sine_q32(std::uint32_t{1} << 30), kOneQ32);
  EXPECT_EQ(sine_q32(std::uint32_t{3} << 30), -kOneQ32);
}

TEST(FixedMath, ProductsDoNotOverflow) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 62;
  EXPECT_EQ(multiply_divide(kLarge, 6, 12), kLarge / 2);
  EXPECT_EQ(multiply_divide(-7, 1, 2), -4);
  EXPECT_EQ(multiply_q32(kLarge, kOneQ32), kLarge);
  EXPECT_EQ(multiply_high(~std::uint64_t{0}, 10), 9U);
}

}  // namespace
}  // namespace troupe::fixed
