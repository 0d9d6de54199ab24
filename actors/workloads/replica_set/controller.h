// Keeps as many pods as a ReplicaSet says.
//
// kubernetes/kubernetes, pkg/controller/replicaset/replica_set.go: expectations, slow start, at
// most 500 pods a sync, the rank of deletions, adoption of orphans and release of pods whose labels
// have changed.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "actors/workloads/core/controller.h"
#include "actors/workloads/core/expectations.h"
#include "actors/workloads/core/pod_writes.h"

namespace troupe::workloads {

class ReplicaSetController final : public SyncingController {
 public:
  ReplicaSetController(SharedInformers& informers, const ControllerOptions& options);

 protected:
  void sync(Context& context, const std::string& key) override;

 private:
  using ReplicaSetPtr = std::shared_ptr<const k8s::ReplicaSet>;

  /// What a sync has decided to do about the pods.
  struct Plan {
    std::size_t create = 0;
    std::vector<PodPtr> remove;
    std::vector<PodPtr> adopt;
    std::vector<PodPtr> release;
  };

  void on_pod(Context& context, const PodPtr& pod);
  void on_pod_change(Context& context, const PodPtr& before, const PodPtr& after);
  void on_pod_gone(Context& context, const PodPtr& pod);
  void on_orphan(Context& context, const k8s::Pod& pod);
  void note_stray(const k8s::ReplicaSet& set, const k8s::Pod& pod);
  [[nodiscard]] ReplicaSetPtr owner_of(const k8s::Pod& pod) const;

  [[nodiscard]] Plan plan(const k8s::ReplicaSet& set, const std::string& key, SimTime now) const;
  [[nodiscard]] std::vector<PodPtr> choose_deletions(const k8s::ReplicaSet& set, std::size_t count,
                                                     SimTime now) const;
  void carry_out(Context& context, const std::string& key, const ReplicaSetPtr& set, Plan plan);
  void create(Context& context, const std::string& key, const ReplicaSetPtr& set,
              std::size_t count);
  void remove(Context& context, const std::string& key, const ReplicaSetPtr& set,
              std::vector<PodPtr> pods);
  void change_owner(Context& context, const ReplicaSetPtr& set, const k8s::Pod& pod, bool adopt);
  /// `error`: what creating or deleting pods failed with; empty if it did not.
  void update_status(Context& context, const std::string& key, const std::string& reason,
                     const std::string& error);
  [[nodiscard]] k8s::ReplicaSetStatus status_of(const k8s::ReplicaSet& set,
                                                const std::string& reason, const std::string& error,
                                                SimTime now) const;

  Expectations expectations_;
  std::set<std::string> strays_;  ///< pods that a set owns and no longer selects, by path
};

}  // namespace troupe::workloads
