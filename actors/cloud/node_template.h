// The configuration of a node that the cloud boots, from its instance type, its pool and the call
// that asked for it.
#pragma once

#include <string>

#include "actors/cloud/offerings.h"

namespace troupe::cloud {

/// Who the new instance is.
struct InstanceIdentity {
  std::string id;    ///< provider id
  std::string node;  ///< the name that it registers with
};

/// `base` gives what neither the type nor the call says. The call's labels win over the type's.
[[nodiscard]] hosts::NodeConfig node_config_of(const hosts::NodeConfig& base, const Pool& pool,
                                               const LaunchInstance& call,
                                               const InstanceIdentity& identity);

}  // namespace troupe::cloud
