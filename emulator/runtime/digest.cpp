#include "emulator/runtime/digest.h"

#include <array>
#include <cstdio>

#include <xxhash.h>

namespace troupe {

Digest& Digest::operator+=(const Digest& other) {
  low += other.low;
  high += other.high + (low < other.low ? 1 : 0);
  return *this;
}

Digest& Digest::operator-=(const Digest& other) {
  const bool borrow = low < other.low;
  low -= other.low;
  high -= other.high + (borrow ? 1 : 0);
  return *this;
}

std::string Digest::hex() const {
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return text.data();
}

void Chain::fold(std::vector<std::uint64_t>& words) {
  words.push_back(state_.low);
  words.push_back(state_.high);
  const XXH128_hash_t hash = XXH3_128bits(words.data(), words.size() * sizeof(std::uint64_t));
  state_ = {hash.low64, hash.high64};
  words.clear();
}

Digest Chain::contribution(std::string_view path, std::uint32_t incarnation) const {
  const std::array<std::uint64_t, 3> words = {state_.low, state_.high, incarnation};
  const std::uint64_t seed = XXH3_64bits(words.data(), sizeof words);
  const XXH128_hash_t hash = XXH3_128bits_withSeed(path.data(), path.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace troupe
