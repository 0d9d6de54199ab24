// What is wrong with a scenario's manifests taken together: objects given twice, owners that own
// each other.
#pragma once

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"

namespace troupe::config {

void check_manifests(const Inputs& inputs, Problems& problems);

}  // namespace troupe::config
