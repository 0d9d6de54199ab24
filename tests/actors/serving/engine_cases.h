// Small engines with round numbers, for tests of their rules.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/serving/engine.h"

namespace troupe::serving::testing {

/// Every step takes 10 ms, and nothing else costs time.
inline EngineConfig steady_engine(std::uint32_t usable_blocks = 1000) {
  EngineConfig config;
  config.costs.base_fs = 10 * kMs * kFsPerNs;
  config.cache.num_blocks = usable_blocks + 1;
  config.max_model_len = 8192;
  return config;
}

inline EngineRequest request_of(std::uint64_t id, std::int64_t prompt, std::int64_t output) {
  EngineRequest request;
  request.id = id;
  request.prompt_tokens = prompt;
  request.output_tokens = output;
  return request;
}

/// Runs every event until `until`, or until nothing is left to do.
inline std::vector<EngineOutput> run_until(Engine& engine, std::int64_t until_ns) {
  std::vector<EngineOutput> out;
  for (auto next = engine.next_event(); next && to_ns(*next) <= until_ns;
       next = engine.next_event()) {
    engine.advance(*next, out);
  }
  return out;
}

}  // namespace troupe::serving::testing
