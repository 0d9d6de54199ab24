// The one list of host kinds: the only file that knows every concrete actor.
#pragma once

#include "emulator/runtime/host_registry.h"

namespace troupe {

/// A registry with every kind of host that a plan may start.
[[nodiscard]] HostRegistry all_host_kinds();

}  // namespace troupe
