// Makes and replaces the groups of LeaderWorkerSets, and declares each as a gang.
#pragma once

#include <memory>
#include <string>

#include "actors/workloads/core/controller.h"
#include "actors/workloads/core/pod_writes.h"
#include "actors/workloads/leader_worker_set/plan.h"

namespace troupe::workloads {

class LeaderWorkerSetController final : public SyncingController {
 public:
  LeaderWorkerSetController(SharedInformers& informers, const ControllerOptions& options);
  void start(Context& context) override;

 protected:
  void sync(Context& context, const std::string& key) override;

 private:
  using SetPtr = std::shared_ptr<const lws::LeaderWorkerSet>;
  using PlanPtr = std::shared_ptr<const LwsPlan>;

  void on_pod(Context& context, const k8s::Pod& pod);
  void remove_groups(Context& context, const std::string& key, const SetPtr& set,
                     const PlanPtr& plan);
  void replace_pods(Context& context, const std::string& key, const SetPtr& set,
                    const PlanPtr& plan);
  void create(Context& context, const std::string& key, const SetPtr& set, const PlanPtr& plan);
  void on_created(Context& context, const lws::LeaderWorkerSet& set, const k8s::Pod& asked,
                  const ApiResult& result);
  /// Says which gang the pod belongs to, for the account. What the watch shows is declared, not
  /// what was asked for: an answer may get lost, and a controller be born after its pods.
  void declare(Context& context, const k8s::Pod& pod);
  void update_status(Context& context, const std::string& key, const SetPtr& set,
                     const PlanPtr& plan, bool ok);

  bool started_ = false;
};

}  // namespace troupe::workloads
