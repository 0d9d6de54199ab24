// The end of an instance, as often asked for as it takes until the cloud knows it no more.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "actors/karpenter/manager.h"

namespace troupe::karpenter {

enum class InstanceEnd : std::uint8_t {
  Gone,     ///< the cloud does not know it
  Going,    ///< it shuts down: ask again
  Unknown,  ///< no answer: ask again
};

/// How long to wait before asking again. Karpenter v1, pkg/controllers/node/termination.
inline constexpr Duration kInstancePoll = std::chrono::seconds(5);

/// Asks the cloud to terminate the instance; a claim of it gets the condition InstanceTerminating
/// when it has begun to.
void end_instance(Manager& manager, Context& context, const std::string& provider_id,
                  std::function<void(Context&, InstanceEnd)> done);

}  // namespace troupe::karpenter
