// One line of a Mooncake trace: a JSON object with `timestamp` (ms from 0), `input_length`,
// `output_length` and `hash_ids`, one for each 512 tokens of the prompt; equal ids mean that the
// prompts are equal up to there.
#pragma once

#include <string_view>

#include "emulator/traffic/trace_row.h"
#include "messages/result.h"

namespace troupe::traffic {

/// Tokens in a block (Mooncake's trace format, FAST'25 release).
inline constexpr std::uint32_t kMooncakeBlockTokens = 512;

[[nodiscard]] Result<TraceRow> parse_mooncake_line(std::string_view line);

}  // namespace troupe::traffic
