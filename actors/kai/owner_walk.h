// The chain of owners of a pod, from caches of the kinds that own pods here.
//
// KAI's pod-grouper reads each owner from the API server; a cache of them costs less and is as
// stale as a watch. A kind that the emulation does not model ends the chain with what the reference
// says of it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/api_client/informer.h"
#include "actors/kai/pod_grouping.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/batch.pb.h"

namespace troupe::kai {

class OwnerCaches {
 public:
  /// `pods`, the grouper's own cache, must outlive this: a pod may own pods, as the leader of a
  /// LeaderWorkerSet's group does.
  OwnerCaches(ApiClient& api, const Informer<k8s::Pod>& pods);

  void start(Context& context);
  [[nodiscard]] bool synced() const;
  /// From the pod's own owner up to the top; an error if a modelled owner is not known, or not any
  /// more.
  [[nodiscard]] Result<std::vector<OwnerView>> owners_of(const k8s::Pod& pod) const;

 private:
  [[nodiscard]] Result<OwnerView> find(const k8s::OwnerReference& reference,
                                       const std::string& name_space) const;

  const Informer<k8s::Pod>& pods_;
  Informer<k8s::ReplicaSet> replica_sets_;
  Informer<k8s::Deployment> deployments_;
  Informer<k8s::StatefulSet> stateful_sets_;
  Informer<k8s::DaemonSet> daemon_sets_;
  Informer<k8s::Job> jobs_;
  Informer<k8s::CronJob> cron_jobs_;
  Informer<lws::LeaderWorkerSet> leader_worker_sets_;
};

}  // namespace troupe::kai
