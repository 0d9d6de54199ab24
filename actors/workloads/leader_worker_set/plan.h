// What a LeaderWorkerSet does next.
//
// kubernetes-sigs/lws, pkg/controllers. The real one makes a StatefulSet of leaders and one of
// workers for each leader; here the pods are made without that detour, with the same names, labels
// and order: leaders all at once, workers when their leader exists (or is ready, startupPolicy
// LeaderReady), groups replaced from the highest index down. Pods of an old revision that are lost
// are made anew from the present template, since no ControllerRevision keeps the old one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/workloads/leader_worker_set/groups.h"
#include "messages/lws.pb.h"
#include "messages/sim_time.h"

namespace troupe::workloads {

struct LwsPlan {
  std::vector<k8s::Pod> create;  ///< leaders first
  /// A group to take away as a whole, by the foreground deletion of its leader.
  struct Removal {
    PodPtr leader;
    std::int32_t group = 0;
    std::string because;    ///< the pod that failed; empty for scaling and updates
    bool for_good = false;  ///< the set has become smaller
  };
  std::vector<Removal> remove;
  std::vector<PodPtr> replace;  ///< single pods that have ended and come anew under the same name
  lws::LeaderWorkerSetStatus status;
};

[[nodiscard]] LwsPlan plan_leader_worker_set(const lws::LeaderWorkerSet& set, const PodIndex& pods,
                                             SimTime now);

}  // namespace troupe::workloads
