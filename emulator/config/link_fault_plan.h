// Faults of the network as rules over the hosts of a plan.
#pragma once

#include "emulator/config/fault_target.h"

namespace troupe::config {

/// The rule of a network fault, its windows left open; a problem wherever it is not sound.
[[nodiscard]] fault::LinkRule link_rule_of(const Fault& fault, const FaultFrame& frame,
                                           const TargetResolver& hosts, Problems& problems);

}  // namespace troupe::config
