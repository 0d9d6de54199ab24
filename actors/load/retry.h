// When a client asks again.
//
// As openai-python does (`_base_client`, defaults of 1.x): 408, 409, 429, every 5xx and a
// connection that broke are repeated, after 0.5 s that doubles up to 8 s, less up to a quarter by
// chance. Nothing is repeated once a token came. A Retry-After header is not modelled.
#pragma once

#include <cstdint>

#include "messages/load.pb.h"
#include "messages/sim_time.h"

namespace troupe::load {

/// Whether a reply with this HTTP code (0: the connection broke) may be followed by another
/// attempt.
[[nodiscard]] bool is_retryable(std::uint32_t http_code);
/// How long to wait after the failure of `attempt` (0 is the first). One draw.
[[nodiscard]] Duration retry_backoff(const RetryPolicy& policy, std::uint32_t attempt,
                                     std::uint64_t bits);

}  // namespace troupe::load
