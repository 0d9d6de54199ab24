// The words for what `get` shows: kinds of objects by any of kubectl's names for them, and what has
// no object: GPUs, requests, processes, links, faults, hosts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/kinds.h"

namespace troupe::console {

struct Resource {
  const Kind* kind = nullptr;  ///< null of what has no object
  std::string name;            ///< plural: "pods", "gpus"
};

/// "po", "pod", "pods", "Pod", "deploy", "gpus"; nothing for what is none.
[[nodiscard]] std::optional<Resource> find_resource(const std::string& word);
/// Every plural, sorted: for help and completion.
[[nodiscard]] std::vector<std::string> resource_names();
/// "pod/x", "deployment.apps/x", as kubectl names what it did something to.
[[nodiscard]] std::string kubectl_name(const Kind& kind, const std::string& name);

}  // namespace troupe::console
