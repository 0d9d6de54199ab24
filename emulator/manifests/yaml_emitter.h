// JSON values as YAML in block style. A text is quoted wherever a reader of YAML 1.1 or 1.2 could
// take it for something else.
#pragma once

#include <string>

#include "emulator/manifests/json_tree.h"

namespace troupe::manifests {

[[nodiscard]] std::string emit_yaml(const JsonTree& tree);

}  // namespace troupe::manifests
