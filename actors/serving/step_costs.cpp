#include "actors/serving/step_costs.h"

#include <algorithm>

#include "actors/serving/fine_time.h"

namespace troupe::serving {
namespace {

/// A quarter of an hour: a step that a file asks for, by a budget of millions of tokens, takes no
/// longer.
constexpr Wide kLongestStepFs = Wide{900'000'000'000} * kFsPerNs;

}  // namespace

std::int64_t StepCosts::step_fs(const StepLoad& load) const {
  Wide total = base_fs;
  total += static_cast<Wide>(load.prefill_tokens) * prefill_token_fs;
  total += static_cast<Wide>(load.prefill_squares) * prefill_square_fs;
  total += static_cast<Wide>(load.prefill_sequences) * prefill_sequence_fs;
  total += static_cast<Wide>(load.decode_sequences) * decode_sequence_fs;
  total += static_cast<Wide>(load.decode_kv_tokens) * decode_kv_token_fs;
  if (!experts_fs.empty()) {
    const auto tokens = static_cast<std::size_t>(load.prefill_tokens + load.decode_sequences);
    total += experts_fs[std::min(tokens, experts_fs.size() - 1)];
  }
  return static_cast<std::int64_t>(std::min(total, kLongestStepFs));
}

}  // namespace troupe::serving
