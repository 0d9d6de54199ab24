// Whom a fault befalls: pure functions from candidates and random bits to the chosen, and from a
// fact to whether it is the one that a condition waits for. The resolver, which knows some targets
// before the run, chooses by the same functions as the director.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/random.h"
#include "messages/fault.pb.h"

namespace troupe::director {

/// The positions of the chosen among `candidates` of them, ascending. `bits(i)` is the i-th draw.
[[nodiscard]] std::vector<std::size_t> choose(
    std::size_t candidates, const fault::Target& target,
    const std::function<std::uint64_t(std::uint64_t)>& bits);

/// True if `message` is such a fact: its fields, read as text, fit the condition's globs.
[[nodiscard]] bool is_met(const fault::Condition& condition,
                          const google::protobuf::Message& message);
/// A field of a fact as text; empty if it has none of that name.
[[nodiscard]] std::string field_of(const google::protobuf::Message& message,
                                   const std::string& name);

}  // namespace troupe::director
