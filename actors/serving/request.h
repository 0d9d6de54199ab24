// A request inside an engine: what the scheduler, the cache and the engine's clock know of it.
#pragma once

#include <cstdint>

#include "actors/serving/fine_time.h"
#include "actors/serving/kv_cache_manager.h"

namespace troupe::serving {

/// Names a request of one engine while it lives; reused afterwards.
using RequestHandle = std::uint32_t;

enum class RequestStatus : std::uint8_t { Waiting, Running, Preempted, Finished };

struct Request {
  std::uint64_t id = 0;  ///< the caller's
  RequestStatus status = RequestStatus::Waiting;

  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;  ///< how many it will have generated when it ends, at least 1
  bool ends_by_length = false;     ///< output_tokens is also all that it may say
  std::int64_t num_generated_tokens = 0;
  std::int64_t num_computed_tokens = 0;  ///< tokens whose keys and values are in its blocks
  std::uint32_t num_preemptions = 0;
  std::int64_t cached_tokens = 0;  ///< prefix hit of its first admission
  RequestKv kv;

  std::int64_t arrival_ns = 0;  ///< at the API server
  std::int64_t queued_ns = 0;   ///< at the scheduler
  FineTime first_token;
  FineTime last_token;
  std::uint64_t last_token_step = 0;  ///< number of the engine's step that yielded it

  /// Tokens that exist: the prompt's and the generated ones.
  [[nodiscard]] std::int64_t num_tokens() const { return prompt_tokens + num_generated_tokens; }
  /// One token is missing, the newest, and it is one that the request has generated.
  [[nodiscard]] bool decoding() const {
    return num_generated_tokens > 0 && num_computed_tokens + 1 == num_tokens();
  }
};

}  // namespace troupe::serving
