// Samples of a number of tokens.
#pragma once

#include <cstdint>

#include "messages/load.pb.h"

namespace troupe::load {

/// A sample of `tokens`, within its minimum and maximum, at least 1. It grows with `bits`.
[[nodiscard]] std::uint32_t sample_tokens(const Tokens& tokens, std::uint64_t bits);

}  // namespace troupe::load
