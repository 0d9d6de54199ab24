#include "actors/workloads/disruption/controller.h"

#include <memory>
#include <utility>

#include "actors/workloads/disruption/scales.h"
#include "messages/labels.h"
#include "messages/same_message.h"
#include "messages/selector.h"

namespace troupe::workloads {

DisruptionController::DisruptionController(SharedInformers& informers,
                                           const ControllerOptions& options)
    : SyncingController(informers, options, "controllermanager"), covered_(informers.pods) {
  informers.budgets.on_add(
      [this](Context& context, const BudgetPtr& budget) { on_budget(context, budget); });
  informers.budgets.on_update([this](Context& context, const BudgetPtr&, const BudgetPtr& after) {
    on_budget(context, after);
  });
  informers.budgets.on_delete(
      [this](Context&, const BudgetPtr& budget) { covered_.forget(path_of(budget->metadata())); });
  // The real one wakes one of the budgets of a pod that has several, whichever comes first; such a
  // pod cannot be evicted at all.
  informers.pods.on_add(
      [this](Context& context, const PodPtr& pod) { enqueue_all(context, covered_.set(pod)); });
  informers.pods.on_update([this](Context& context, const PodPtr&, const PodPtr& after) {
    enqueue_all(context, covered_.set(after));
  });
  informers.pods.on_delete(
      [this](Context& context, const PodPtr& pod) { enqueue_all(context, covered_.erase(*pod)); });
}

void DisruptionController::on_budget(Context& context, const BudgetPtr& budget) {
  const std::string key = path_of(budget->metadata());
  covered_.select(key, [budget](const LabelMap& labels) {
    return budget->spec().has_selector() && matches(budget->spec().selector(), labels);
  });
  enqueue(context, key);
}

void DisruptionController::enqueue_all(Context& context, const SelectedPods::Keys& budgets) {
  for (const std::string& key : budgets) enqueue(context, key);
}

void DisruptionController::sync(Context& context, const std::string& key) {
  const BudgetPtr budget = informers_.budgets.get(key);
  if (budget == nullptr) {
    finish(context, key);
    return;
  }
  const auto& pods = covered_.of(key);
  const BudgetPlan plan = plan_budget(
      *budget, pods, [this](const k8s::Pod& pod) { return scale_of_controller(pod, informers_); },
      context.now());
  after_deciding(
      context, static_cast<std::int64_t>(pods.size()),
      [this, key, budget, plan](Context& later) { carry_out(later, key, budget, plan); });
}

void DisruptionController::carry_out(Context& context, const std::string& key,
                                     const BudgetPtr& budget, const BudgetPlan& plan) {
  for (const EventText& event : plan.events) {
    record(context, *budget, event.type, event.reason, event.message);
  }
  for (const PodPtr& pod : plan.not_deleted) {
    record(context, *pod, "Warning", "NotDeleted",
           "Pod was expected by PDB " + key + " to be deleted but it wasn't");
  }
  if (plan.again) enqueue_after(context, key, *plan.again);
  if (same_message(plan.status, budget->status())) {
    finish(context, key);
    return;
  }
  k8s::PodDisruptionBudget updated = *budget;
  *updated.mutable_status() = plan.status;
  // Against the version that was looked at: an eviction meanwhile has changed the numbers.
  api_.update_status(context, std::move(updated),
                     [this, key](Context& later, const ApiResult& result) {
                       finish(later, key, result.ok() || result.not_found());
                     });
}

}  // namespace troupe::workloads
