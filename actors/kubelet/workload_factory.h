// How a pod's serving engine comes to life on a node, without the kubelet knowing engines.
//
// The kubelet runs jobs and idle containers itself (built_in_workloads.h). An engine is made by
// whoever wires the program: the emulator passes an adapter around actors/serving. The actor that
// comes out is spawned at the pod's own path, `node/NAME/pod/UID`, and speaks
// messages/workload.proto with the kubelet and with the GPUs it was given.
#pragma once

#include <memory>

#include "actors/actor.h"
#include "messages/payload.h"
#include "messages/serving.pb.h"

namespace troupe::kubelet {

struct WorkloadSpec {
  Payload serving;  ///< the ServingWorkload that the pod's profile names; empty if the host was not
                    ///< given it
  serving::ReplicaPlacement placement;
  bool loaded = false;  ///< part of the initial state: weights in memory, engine up
};

class WorkloadFactory {
 public:
  virtual ~WorkloadFactory() = default;
  /// Null if the spec cannot be served; the container then exits with an error.
  [[nodiscard]] virtual std::unique_ptr<Actor> make(const WorkloadSpec& spec) const = 0;
};

}  // namespace troupe::kubelet
