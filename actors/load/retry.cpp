#include "actors/load/retry.h"

#include <algorithm>

#include "actors/random.h"

namespace troupe::load {
namespace {

constexpr std::int64_t kFirstBackoffNs = 500'000'000;
constexpr std::int64_t kBackoffNsMax = 8'000'000'000;

}  // namespace

bool is_retryable(std::uint32_t http_code) {
  return http_code == 0 || http_code == 408 || http_code == 409 || http_code == 429 ||
         http_code >= 500;
}

Duration retry_backoff(const RetryPolicy& policy, std::uint32_t attempt, std::uint64_t bits) {
  std::int64_t backoff =
      policy.first_backoff_ns() > 0 ? policy.first_backoff_ns() : kFirstBackoffNs;
  const std::int64_t most = policy.backoff_ns_max() > 0 ? policy.backoff_ns_max() : kBackoffNsMax;
  for (std::uint32_t i = 0; i < attempt && backoff < most; ++i) backoff *= 2;
  backoff = std::min(backoff, most);
  return Duration{backoff - uniform_between(bits, 0, backoff / 4)};
}

}  // namespace troupe::load
