// Short ways to say a load in a test.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "actors/random.h"
#include "messages/hash.h"
#include "messages/load.pb.h"

namespace troupe::load {

inline std::int64_t ns_of(std::chrono::nanoseconds time) {
  return time.count();
}

/// Millionths of a request a second.
inline std::int64_t per_second(double rate) {
  return static_cast<std::int64_t>(rate * 1e6);
}

/// Random bits that are a function of the seed alone.
inline RandomBits seeded_bits(std::uint64_t seed = 1) {
  return [seed](std::string_view purpose, std::uint64_t index) {
    return mix(hash_bytes(purpose), index, seed);
  };
}

inline Tokens constant_tokens(std::uint32_t count) {
  Tokens tokens;
  tokens.set_a(count);
  return tokens;
}

/// Phases of a rate in requests a second; 0 s means for ever.
struct PhaseSpec {
  double rate;
  std::chrono::seconds length;
};
inline Phases phases_of(const std::vector<PhaseSpec>& specs, bool repeat = false) {
  Phases phases;
  phases.set_repeat(repeat);
  for (const PhaseSpec& spec : specs) {
    auto* phase = phases.add_phases();
    phase->set_rate_micro_per_s(per_second(spec.rate));
    phase->set_for_ns(ns_of(spec.length));
  }
  return phases;
}

}  // namespace troupe::load
