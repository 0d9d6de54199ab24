#include "actors/serving/step_costs.h"

#include <algorithm>

namespace troupe::serving {

std::int64_t StepCosts::step_fs(const StepLoad& load) const {
  std::int64_t total =
      base_fs + load.prefill_tokens * prefill_token_fs + load.prefill_squares * prefill_square_fs +
      load.prefill_sequences * prefill_sequence_fs + load.decode_sequences * decode_sequence_fs +
      load.decode_kv_tokens * decode_kv_token_fs;
  if (!experts_fs.empty()) {
    const auto tokens = static_cast<std::size_t>(load.prefill_tokens + load.decode_sequences);
    total += experts_fs[std::min(tokens, experts_fs.size() - 1)];
  }
  return total;
}

}  // namespace troupe::serving
