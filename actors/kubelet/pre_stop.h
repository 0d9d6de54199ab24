// How long a container's preStop hook delays SIGTERM.
#pragma once

#include "messages/k8s/container.pb.h"
#include "messages/sim_time.h"

namespace troupe::kubelet {

/// The seconds of a sleep action, or of a command that sleeps ("sleep 15", also inside a shell's
/// -c). Other hooks take no time: what they would do is not modelled.
[[nodiscard]] Duration pre_stop_delay(const k8s::Container& container);

}  // namespace troupe::kubelet
