#include "actors/api_client/token_bucket.h"

#include <algorithm>

#include "messages/assert.h"

namespace troupe {

// The generic cell rate algorithm: equal to a bucket of tokens, without a fraction to accumulate.
TokenBucket::TokenBucket(double qps, std::uint32_t burst) {
  TROUPE_ASSERT(qps >= 0, "a rate limit must not be negative");
  if (qps <= 0) return;
  interval_ = Duration(static_cast<Duration::rep>(1e9 / qps));
  tolerance_ = interval_ * (std::max<std::uint32_t>(burst, 1) - 1);
}

SimTime TokenBucket::take(SimTime now) {
  if (interval_ == Duration::zero()) return now;
  steady_ = std::max(steady_, now);
  const SimTime at = std::max(now, steady_ - tolerance_);
  steady_ += interval_;
  return at;
}

bool TokenBucket::ready(SimTime now) const {
  return interval_ == Duration::zero() || steady_ <= now || steady_ - tolerance_ <= now;
}

}  // namespace troupe
