// client-go's rate limit of a client: a bucket of tokens whose holders wait their turn in order.
//
// A request takes a token at once; where none is left it takes the next one that will be made, and
// waits for it. So requests leave in the order in which they were made, as golang.org/x/time/rate's
// Wait has it. Integers only.
#pragma once

#include <cstdint>

#include "messages/sim_time.h"

namespace troupe {

class TokenBucket {
 public:
  /// `qps` tokens a second, at most `burst` saved up; qps 0 is no limit.
  TokenBucket(double qps, std::uint32_t burst);

  /// Takes one token and returns when its holder may go: `now`, or later.
  SimTime take(SimTime now);
  /// True if a token could be had at `now` without waiting.
  [[nodiscard]] bool ready(SimTime now) const;

 private:
  Duration interval_{0};             ///< between two new tokens
  Duration tolerance_{0};            ///< how far ahead of the steady rate a burst may run
  SimTime steady_ = SimTime::min();  ///< when the next request would be due at the steady rate
};

}  // namespace troupe
