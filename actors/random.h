// From 64 random bits to a choice.
//
// `Context::random(purpose, index)` gives an actor the bits; these functions turn them into numbers
// without std::*_distribution, whose results are each library's own business.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "actors/context.h"

namespace troupe {

/// Where pure code takes its random bits from: a function of (purpose, index), as `Context::random`
/// is.
using RandomBits = std::function<std::uint64_t(std::string_view purpose, std::uint64_t index)>;

/// The random bits of the actor whose context this is; valid as long as the context.
[[nodiscard]] RandomBits random_bits_of(const Context& context);

/// Uniform in [0, bound), by multiply-shift; no value is likelier than another by more than bound /
/// 2^64.
[[nodiscard]] std::uint64_t uniform_below(std::uint64_t bits, std::uint64_t bound);
/// Uniform in [low, high], both included; low <= high.
[[nodiscard]] std::int64_t uniform_between(std::uint64_t bits, std::int64_t low, std::int64_t high);
/// True with probability numerator / denominator (exact to 2^-64); always true from numerator >=
/// denominator on.
[[nodiscard]] bool bernoulli(std::uint64_t bits, std::uint64_t numerator,
                             std::uint64_t denominator);

/// One sequence of draws that an actor keeps among its state: the n-th draw depends on nothing but
/// the purpose and n.
class RandomStream {
 public:
  explicit RandomStream(std::string purpose) : purpose_(std::move(purpose)) {}

  [[nodiscard]] std::uint64_t next(const Context& context) {
    return context.random(purpose_, drawn_++);
  }
  [[nodiscard]] std::uint64_t next(const RandomBits& bits) { return bits(purpose_, drawn_++); }
  /// How many were drawn so far.
  [[nodiscard]] std::uint64_t drawn() const { return drawn_; }

 private:
  std::string purpose_;
  std::uint64_t drawn_ = 0;
};

}  // namespace troupe
