// What is wrong with manifests beyond their form: objects that the API server would refuse in any
// cluster, objects given twice, owners that own each other.
#pragma once

#include <vector>

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"

namespace troupe::config {

void check_manifests(const std::vector<ManifestObject>& manifests, Problems& problems);

}  // namespace troupe::config
