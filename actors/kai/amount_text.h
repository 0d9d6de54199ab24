// Amounts as KAI's messages print them: devices, cores and gigabytes with at most three decimals.
#pragma once

#include <cstdint>
#include <string>

#include "actors/kai/resource_share.h"

namespace troupe::kai {

/// "2", "0.5", "unlimited"; without a unit.
[[nodiscard]] std::string amount_text(Resource resource, std::int64_t amount);

}  // namespace troupe::kai
