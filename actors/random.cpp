#include "actors/random.h"

#include "actors/fixed_math.h"
#include "messages/assert.h"

namespace troupe {

RandomBits random_bits_of(const Context& context) {
  return [&context](std::string_view purpose, std::uint64_t index) {
    return context.random(purpose, index);
  };
}

std::uint64_t uniform_below(std::uint64_t bits, std::uint64_t bound) {
  TROUPE_ASSERT(bound > 0, "nothing lies below 0");
  return fixed::multiply_high(bits, bound);
}

std::int64_t uniform_between(std::uint64_t bits, std::int64_t low, std::int64_t high) {
  TROUPE_ASSERT(low <= high, "an empty range");
  const std::uint64_t width =
      static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t offset = width == 0 ? bits : fixed::multiply_high(bits, width);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

bool bernoulli(std::uint64_t bits, std::uint64_t numerator, std::uint64_t denominator) {
  return uniform_below(bits, denominator) < numerator;
}

}  // namespace troupe
