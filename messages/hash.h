// The one family of hashes that identity, order and digests are built on.
//
// Everything that must be equal on every machine goes through XXH3 over explicit bytes; std::hash,
// whose values are the library's own business, is never used for it.
#pragma once

#include <cstdint>
#include <string_view>

namespace troupe {

/// XXH3-64 of the bytes.
std::uint64_t hash_bytes(std::string_view bytes);

/// Mixes two words into one; the order matters. A finaliser of SplitMix64 quality, a few
/// nanoseconds.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

template <class... Rest>
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c, Rest... rest) {
  return mix(mix(a, b), c, rest...);
}

}  // namespace troupe
