// Subtrees that are carried and not interpreted, as JSON text.
#pragma once

#include <string>

#include "emulator/manifests/yaml_node.h"

namespace troupe::manifests {

/// The subtree as compact JSON, keys sorted, so that equal subtrees are equal texts.
[[nodiscard]] std::string json_text(const YamlNode& node);

}  // namespace troupe::manifests
