// Runs the pods of Jobs to their end, and removes Jobs whose time after that is over.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "actors/workloads/core/controller.h"
#include "actors/workloads/core/expectations.h"
#include "actors/workloads/core/pod_writes.h"
#include "actors/workloads/job/plan.h"

namespace troupe::workloads {

class JobController final : public SyncingController {
 public:
  JobController(SharedInformers& informers, const ControllerOptions& options);

 protected:
  void sync(Context& context, const std::string& key) override;

 private:
  using JobPtr = std::shared_ptr<const k8s::Job>;
  /// Shared by the callbacks of one sync; its status follows the writes.
  using PlanPtr = std::shared_ptr<JobPlan>;

  [[nodiscard]] JobPtr owner_of(const k8s::Pod& pod) const;
  void on_job_change(Context& context, const JobPtr& before, const JobPtr& after);
  void on_pod(Context& context, const k8s::Pod& pod, bool created);
  void on_pod_gone(Context& context, const k8s::Pod& pod);
  void enqueue_batched(Context& context, const std::string& key);
  void forget_after_its_time(Context& context, const std::string& key, const JobPtr& job);
  void create(Context& context, const std::string& key, const JobPtr& job, const PlanPtr& plan);
  void remove(Context& context, const std::string& key, const JobPtr& job, const PlanPtr& plan);
  void on_removed(Context& context, const JobPtr& job, JobPlan& plan, const PodPtr& pod,
                  const ApiResult& result);
  void update_status(Context& context, const std::string& key, const JobPtr& job,
                     const PlanPtr& plan, bool ok);

  Expectations expectations_;
  std::map<std::string, JobMemory> memory_;  ///< by uid
};

}  // namespace troupe::workloads
