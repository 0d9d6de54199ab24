// What happens in the cluster that may let a refused pod be placed, and whether it may let this
// one.
//
// A pod waits until something changes that concerns the plugins that refused it (kube-scheduler's
// queueing hints, on since Kubernetes 1.32). An event that concerns none of them leaves it where it
// is.
#pragma once

#include <cstdint>
#include <memory>

#include "actors/scheduling/node_info.h"
#include "actors/scheduling/rejection.h"

namespace troupe::kube_scheduler {

struct ClusterEvent {
  enum class Kind : std::uint8_t {
    NodeAdded,
    NodeChanged,
    NodeRemoved,
    PodAssigned,  ///< a pod got a node
    PodChanged,   ///< a pod that has a node changed its labels
    PodRemoved,   ///< a pod that had a node, or held one by nomination or assumption, is gone
  };

  Kind kind = Kind::NodeAdded;
  std::shared_ptr<const scheduling::NodeFacts> node_before =
      nullptr;                                                  ///< of NodeChanged, NodeRemoved
  std::shared_ptr<const scheduling::NodeFacts> node = nullptr;  ///< of NodeAdded, NodeChanged
  scheduling::PodPtr pod = nullptr;                             ///< of the last three
};

/// True if the event may make the pod fit for one of the plugins that refused it.
[[nodiscard]] bool may_help(const ClusterEvent& event, scheduling::PluginSet refused_by,
                            const scheduling::PodInfo& pod);

/// True if the change of a node can matter to any plugin: a heartbeat or an image does not.
[[nodiscard]] bool is_relevant(const scheduling::NodeFacts& before,
                               const scheduling::NodeFacts& after);

}  // namespace troupe::kube_scheduler
