// Keeps a Deployment's ReplicaSets as its template, size and strategy ask.
//
// kubernetes/kubernetes, pkg/controller/deployment. Not modelled: adoption of ReplicaSets that
// somebody else made, and the rollback of the extensions API.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/workloads/core/controller.h"
#include "actors/workloads/deployment/rollout.h"

namespace troupe::workloads {

class DeploymentController final : public SyncingController {
 public:
  DeploymentController(SharedInformers& informers, const ControllerOptions& options);

 protected:
  void sync(Context& context, const std::string& key) override;

 private:
  using DeploymentPtr = std::shared_ptr<const k8s::Deployment>;

  /// One pass over a Deployment: what was decided, and what is still to be written.
  struct Pass {
    std::string key;
    DeploymentPtr deployment;
    ReplicaSets sets;
    Resizes resizes;
    std::optional<k8s::ReplicaSet> create;
    std::vector<ReplicaSetPtr> drop;
    bool rollout = false;  ///< the condition Progressing is to be kept
    std::size_t next = 0;
  };
  using PassPtr = std::shared_ptr<Pass>;

  void on_replica_set(Context& context, const ReplicaSetPtr& set);
  void on_pod_gone(Context& context, const k8s::Pod& pod);
  [[nodiscard]] ReplicaSets sets_of(const k8s::Deployment& deployment) const;
  [[nodiscard]] bool old_pods_run(const ReplicaSets& sets) const;

  void decide(Pass& pass) const;
  void create(Context& context, const PassPtr& pass);
  void on_created(Context& context, const PassPtr& pass, const ApiResult& result);
  void resize_next(Context& context, const PassPtr& pass);
  void drop_next(Context& context, const PassPtr& pass);
  void update_status(Context& context, const PassPtr& pass);
  void write_status(Context& context, const PassPtr& pass, k8s::DeploymentStatus status);

  std::map<std::string, std::map<std::string, ReplicaSetPtr>>
      sets_by_owner_;  ///< by owner uid, by path
};

}  // namespace troupe::workloads
