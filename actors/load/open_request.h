// A request that a client waits for, and what it says of it in the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "actors/actor.h"
#include "actors/load/request_shapes.h"
#include "messages/facts.pb.h"
#include "messages/sim_time.h"

namespace troupe::load {

struct OpenRequest {
  RequestShape shape;
  SimTime issued_at;
  std::uint32_t attempt = 0;  ///< 0 is the first
  std::optional<SimTime> first_token_at;
  TimerId patience = 0;               ///< the timer after which the client hangs up; 0: none
  TimerId retry = 0;                  ///< the timer of the next attempt, while it waits for that
  std::optional<std::uint32_t> user;  ///< of a closed loop
};

/// How a request ended, as its client saw it.
struct Ending {
  facts::RequestEnded::Outcome outcome = facts::RequestEnded::COMPLETED;
  std::string reason;
  std::uint32_t output_tokens = 0;  ///< received
};

/// The fact of the end at `now`, without the names of the request and its service.
[[nodiscard]] facts::RequestEnded describe_end(const OpenRequest& request, const Ending& ending,
                                               SimTime now);

}  // namespace troupe::load
