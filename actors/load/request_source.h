// The requests of an open loop, one after another: recorded in a trace or generated. Only the next
// one exists.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "actors/load/request_shapes.h"
#include "messages/sim_time.h"

namespace troupe::load {

struct PlannedRequest {
  SimTime at;
  RequestShape shape;
};

class RequestSource {
 public:
  virtual ~RequestSource() = default;
  /// The next request, not earlier than the one before; nothing at the end.
  [[nodiscard]] virtual std::optional<PlannedRequest> next(const RandomBits& bits) = 0;
};

/// The source that `config` describes, or null where it is a closed loop or nothing. `owner` is the
/// load's own name. A trace is read from `config`, which must outlive the source.
[[nodiscard]] std::unique_ptr<RequestSource> make_request_source(const LoadConfig& config,
                                                                 std::string_view owner);

}  // namespace troupe::load
