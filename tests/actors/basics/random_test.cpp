#include "actors/random.h"

#include <array>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "messages/assert.h"
#include "messages/hash.h"

namespace troupe {
namespace {

std::uint64_t bits_of(std::string_view purpose, std::uint64_t index) {
  return mix(hash_bytes(purpose), index);
}

TEST(UniformBelow, StaysBelowItsBound) {
  EXPECT_EQ(uniform_below(0, 10), 0U);
  EXPECT_EQ(uniform_below(~std::uint64_t{0}, 10), 9U);
  EXPECT_EQ(uniform_below(~std::uint64_t{0}, 1), 0U);
  EXPECT_THROW(static_cast<void>(uniform_below(1, 0)), ContractViolation);
}

// 60,000 draws among 6: each expected 10,000 times, standard deviation 91; five deviations allowed.
TEST(UniformBelow, FavoursNoValue) {
  std::array<int, 6> counts{};
  for (std::uint64_t i = 0; i < 60'000; ++i) ++counts[uniform_below(bits_of("die", i), 6)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 456);
}

TEST(UniformBetween, IncludesBothEnds) {
  EXPECT_EQ(uniform_between(0, -3, 3), -3);
  EXPECT_EQ(uniform_between(~std::uint64_t{0}, -3, 3), 3);
  constexpr auto kLow = std::numeric_limits<std::int64_t>::min();
  constexpr auto kHigh = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(uniform_between(0, kLow, kHigh), kLow);
  EXPECT_EQ(uniform_between(~std::uint64_t{0}, kLow, kHigh), kHigh);
}

// 100,000 draws at 3/10: expected 30,000, standard deviation 145.
TEST(Bernoulli, HoldsItsShare) {
  int hits = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) hits += bernoulli(bits_of("coin", i), 3, 10) ? 1 : 0;
  EXPECT_NEAR(hits, 30'000, 725);
}

TEST(Bernoulli, IsCertainAtItsEnds) {
  EXPECT_FALSE(bernoulli(0, 0, 10));
  EXPECT_TRUE(bernoulli(~std::uint64_t{0}, 10, 10));
}

TEST(RandomStream, CountsItsDrawsUnderItsOwnPurpose) {
  RandomStream stream("arrivals");
  const RandomBits bits = bits_of;
  EXPECT_EQ(stream.next(bits), bits_of("arrivals", 0));
  EXPECT_EQ(stream.next(bits), bits_of("arrivals", 1));
  EXPECT_EQ(stream.drawn(), 2U);
}

}  // namespace
}  // namespace troupe
