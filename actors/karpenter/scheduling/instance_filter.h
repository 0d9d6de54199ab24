// Which instance types can carry a claim's pods.
//
// A type stays if its labels agree with the requirements, if the requests and the daemons that will
// run there fit, and if an available offering agrees too. The filter does not stop at the first
// test that fails, so that its refusal can say which of the three tests, or which pair of them,
// shut every type out: that text is what users search for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/karpenter/scheduling/host_ports.h"
#include "actors/karpenter/scheduling/instance_type.h"
#include "messages/result.h"

namespace troupe::karpenter {

/// Types on which the same DaemonSets will run, with what those ask for.
struct DaemonGroup {
  InstanceTypes types;
  Resources overhead;
  HostPorts ports;
};

enum class MinValuesPolicy : std::uint8_t { Strict, BestEffort };

struct FilterRequest {
  const InstanceTypes& types;  ///< those that are still eligible
  const Requirements& requirements;
  const std::vector<DaemonGroup>& groups;  ///< each eligible type is in one
  const Resources& pod_requests;    ///< of the pod that is being added, for the refusal's text
  const Resources& total_requests;  ///< of all the claim's pods with that one
  const std::vector<HostPort>& ports;
  MinValuesPolicy min_values = MinValuesPolicy::Strict;
};

struct Filtered {
  InstanceTypes types;
  std::vector<ScarceKey> relaxed;  ///< keys whose minValues were lowered (best effort only)
};

/// The types that remain, never none; or the reason why none does, in Karpenter's words.
[[nodiscard]] Result<Filtered> filter_instance_types(const FilterRequest& request);

}  // namespace troupe::karpenter
