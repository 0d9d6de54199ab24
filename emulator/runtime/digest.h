// The run digest: one number that two runs share exactly when every actor saw the same deliveries
// in the same order and did the same with each.
//
// Each actor has a chain, a rolling hash over its deliveries and all that its handlers emitted. The
// digest is the sum modulo 2^128 of XXH3-128(path, chain) over all actors that ever lived: a sum
// needs no order, so processes just add.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// A number modulo 2^128.
struct Digest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  Digest& operator+=(const Digest& other);
  Digest& operator-=(const Digest& other);
  friend bool operator==(const Digest&, const Digest&) = default;
  /// 32 hexadecimal digits.
  [[nodiscard]] std::string hex() const;
};

/// One actor's rolling hash.
class Chain {
 public:
  /// Folds in one handler's record: the words of its delivery and its emissions. `words` is left
  /// empty.
  void fold(std::vector<std::uint64_t>& words);
  /// What the actor adds to the run's digest.
  [[nodiscard]] Digest contribution(std::string_view path, std::uint32_t incarnation) const;

 private:
  Digest state_;
};

}  // namespace troupe
