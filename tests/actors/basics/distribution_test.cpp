#include "actors/distribution.h"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "messages/hash.h"

namespace troupe {
namespace {

constexpr double kTolerance = 1e-3;  // the promise of distribution.h

std::uint64_t at(double p) {
  return static_cast<std::uint64_t>(p * 18446744073709551616.0);
}

Distribution shaped(Distribution::Shape shape, std::int64_t a, std::int64_t b) {
  Distribution distribution;
  distribution.set_shape(shape);
  distribution.set_a_ns(a);
  distribution.set_b_ns(b);
  return distribution;
}

void expect_close(std::int64_t value, double expected) {
  EXPECT_NEAR(static_cast<double>(value), expected, kTolerance * expected);
}

// -ln(1 - p) means.
TEST(Exponential, QuantilesAreTheRealOnes) {
  constexpr std::int64_t kMean = 1'000'000'000;
  for (const double p : {0.001, 0.01, 0.1, 0.25, 0.5, 0.9, 0.99, 0.9999}) {
    expect_close(exponential(at(p), kMean), -std::log1p(-p) * kMean);
  }
  EXPECT_EQ(exponential(0, kMean), 0);
  EXPECT_EQ(exponential(at(0.5), 0), 0);
}

// median * exp(sigma z_p), sigma = ln(p90 / median) / 1.28155.
TEST(Lognormal, QuantilesAreTheRealOnes) {
  constexpr std::int64_t kMedian = 45'000'000'000;
  constexpr std::int64_t kP90 = 120'000'000'000;
  const double sigma = std::log(120.0 / 45.0) / 1.2815515655446;
  struct Known {
    double p, z;
  };
  for (const Known& known : {Known{0.5, 0}, Known{0.9, 1.2815515655446},
                             Known{0.99, 2.32634787404084}, Known{0.999, 3.09023230616781},
                             Known{0.1, -1.2815515655446}, Known{0.01, -2.32634787404084}}) {
    expect_close(lognormal(at(known.p), kMedian, kP90), kMedian * std::exp(sigma * known.z));
  }
}

TEST(Lognormal, IsConstantWithoutSpread) {
  EXPECT_EQ(lognormal(at(0.97), 1000, 1000), 1000);
}

// minimum * (1 - p)^(-1 / alpha).
TEST(Pareto, QuantilesAreTheRealOnes) {
  for (const double p : {0.0, 0.1, 0.5, 0.9, 0.99, 0.999}) {
    expect_close(pareto(at(p), 1'000'000, 1500), 1e6 * std::pow(1 - p, -1 / 1.5));
  }
  EXPECT_EQ(pareto(~std::uint64_t{0}, 1'000'000, 1), std::int64_t{1} << 62);
}

TEST(Distribution, ConstantAndUniformAreExact) {
  EXPECT_EQ(sample(shaped(Distribution::CONSTANT, 7, 0), 12345), Duration{7});
  EXPECT_EQ(sample(shaped(Distribution::UNIFORM, 10, 20), 0), Duration{10});
  EXPECT_EQ(sample(shaped(Distribution::UNIFORM, 10, 20), ~std::uint64_t{0}), Duration{20});
}

// The mean of 100,000 exponentials of mean 1 s has a standard deviation of 3.2 ms.
TEST(Distribution, MeanOfManyDrawsIsTheDistributionsOwn) {
  const Distribution exponential_1s = shaped(Distribution::EXPONENTIAL, 1'000'000'000, 0);
  std::int64_t sum = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) sum += sample(exponential_1s, mix(7, i)).count();
  EXPECT_NEAR(static_cast<double>(sum) / 1e5, 1e9, 16e6);
}

TEST(Distribution, KeepsToItsBounds) {
  Distribution distribution = shaped(Distribution::EXPONENTIAL, 1000, 0);
  distribution.set_minimum_ns(500);
  distribution.set_maximum_ns(2000);
  EXPECT_EQ(sample(distribution, 0), Duration{500});
  EXPECT_EQ(sample(distribution, ~std::uint64_t{0}), Duration{2000});
  EXPECT_EQ(smallest_sample(distribution), Duration{500});
}

TEST(Distribution, IsNeverNegative) {
  EXPECT_EQ(sample(shaped(Distribution::CONSTANT, -5, 0), 1), Duration{0});
  EXPECT_EQ(sample(shaped(Distribution::LOGNORMAL, 0, 10), 1), Duration{0});
  EXPECT_EQ(sample(shaped(Distribution::UNIFORM, -10, -5), 1), Duration{0});
}

TEST(Distribution, SmallestSampleIsNotUndercut) {
  EXPECT_EQ(smallest_sample(shaped(Distribution::CONSTANT, 7, 0)), Duration{7});
  EXPECT_EQ(smallest_sample(shaped(Distribution::UNIFORM, 20, 10)), Duration{10});
  EXPECT_EQ(smallest_sample(shaped(Distribution::LOGNORMAL, 20, 40)), Duration{0});
}

}  // namespace
}  // namespace troupe
