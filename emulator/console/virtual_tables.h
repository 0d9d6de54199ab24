// What `get` shows that is no object of the API: GPUs, requests, processes, links, faults, hosts.
#pragma once

#include "emulator/console/read_commands.h"

namespace troupe::console {

[[nodiscard]] Table virtual_table(const RunView& run, const std::string& name, bool wide);

}  // namespace troupe::console
