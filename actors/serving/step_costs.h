// How long an engine step takes: a linear function, in integers, of what the step does.
//
// A step reads the weights once, multiplies them with every token that is new in it, attends, and
// pays for each sequence. Nothing of that depends on the hardware any more: performance_model.h
// turns a model and a GPU into these coefficients once, and from then on time is integer
// arithmetic. Sums, not maxima: that is what measured tables show (performance_model.h names them).
#pragma once

#include <cstdint>
#include <vector>

namespace troupe::serving {

/// What one engine step does.
struct StepLoad {
  std::int64_t prefill_tokens = 0;
  /// Sum over the prefill chunks of end^2 - begin^2, in token positions: twice the pairs of causal
  /// attention.
  std::int64_t prefill_squares = 0;
  std::int64_t prefill_sequences = 0;
  std::int64_t decode_sequences = 0;
  /// Tokens whose keys and values the decoding sequences read.
  std::int64_t decode_kv_tokens = 0;

  [[nodiscard]] bool empty() const { return prefill_sequences == 0 && decode_sequences == 0; }
};

/// Femtoseconds for each unit of a StepLoad.
struct StepCosts {
  std::int64_t base_fs = 0;  ///< of any step: launches, weights read, latency of collectives
  std::int64_t prefill_token_fs = 0;
  std::int64_t prefill_square_fs = 0;
  std::int64_t prefill_sequence_fs = 0;
  std::int64_t decode_sequence_fs = 0;
  std::int64_t decode_kv_token_fs = 0;
  /// Reading the experts that n tokens touch, at index n; the last entry stands for all beyond.
  /// Empty: a dense model.
  std::vector<std::int64_t> experts_fs;
  /// A request's way through HTTP and tokenisation: time before the scheduler sees it, and no GPU
  /// time.
  std::int64_t frontend_ns = 0;

  [[nodiscard]] std::int64_t step_fs(const StepLoad& load) const;
  /// By how much the next step is longer if the same sequences decode one token more each.
  [[nodiscard]] std::int64_t growth_fs(const StepLoad& load) const {
    return load.decode_sequences * decode_kv_token_fs;
  }
};

}  // namespace troupe::serving
