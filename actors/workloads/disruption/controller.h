// Keeps the status of PodDisruptionBudgets.
#pragma once

#include <memory>
#include <string>

#include "actors/workloads/core/controller.h"
#include "actors/workloads/core/selected_pods.h"
#include "actors/workloads/disruption/budget.h"

namespace troupe::workloads {

class DisruptionController final : public SyncingController {
 public:
  DisruptionController(SharedInformers& informers, const ControllerOptions& options);

 protected:
  void sync(Context& context, const std::string& key) override;

 private:
  using BudgetPtr = std::shared_ptr<const k8s::PodDisruptionBudget>;

  void on_budget(Context& context, const BudgetPtr& budget);
  void enqueue_all(Context& context, const SelectedPods::Keys& budgets);
  void carry_out(Context& context, const std::string& key, const BudgetPtr& budget,
                 const BudgetPlan& plan);

  SelectedPods covered_;
};

}  // namespace troupe::workloads
