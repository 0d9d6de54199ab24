#include "actors/workloads/disruption/stale_targets.h"

#include <algorithm>
#include <utility>

#include "actors/workloads/objects/pods.h"
#include "messages/conditions.h"

namespace troupe::workloads {
namespace {

constexpr Duration kStaleAfter = std::chrono::minutes(2);
constexpr std::string_view kDisruptionTarget = "DisruptionTarget";

}  // namespace

std::optional<SimTime> stale_disruption_at(const k8s::Pod& pod) {
  if (is_terminating(pod) || is_terminal(pod)) return std::nullopt;
  const k8s::Condition* target = find_condition(pod.status().conditions(), kDisruptionTarget);
  // The kubelet may take any time between its word and the deletion.
  const bool lasting =
      target == nullptr || target->status() != "True" || target->reason() == "TerminationByKubelet";
  if (lasting) return std::nullopt;
  return from_ns(target->last_transition_time()) + kStaleAfter;
}

StaleTargetsController::StaleTargetsController(SharedInformers& informers,
                                               const ControllerOptions& options)
    : SyncingController(informers, options, "controllermanager") {
  informers.pods.on_add([this](Context& context, const PodPtr& pod) { look(context, *pod); });
  informers.pods.on_update(
      [this](Context& context, const PodPtr&, const PodPtr& after) { look(context, *after); });
}

void StaleTargetsController::look(Context& context, const k8s::Pod& pod) {
  const auto at = stale_disruption_at(pod);
  if (!at) return;
  enqueue_after(context, path_of(pod.metadata()), std::max(*at - context.now(), Duration::zero()));
}

void StaleTargetsController::sync(Context& context, const std::string& key) {
  const PodPtr pod = informers_.pods.get(key);
  const auto at = pod != nullptr ? stale_disruption_at(*pod) : std::nullopt;
  if (!at || *at > context.now()) {
    if (at) enqueue_after(context, key, *at - context.now());
    finish(context, key);
    return;
  }
  k8s::Pod updated = *pod;
  set_condition(*updated.mutable_status()->mutable_conditions(), {kDisruptionTarget, "False"},
                context.now());
  api_.update_status(context, std::move(updated),
                     [this, key](Context& later, const ApiResult& result) {
                       finish(later, key, result.ok() || result.not_found());
                     });
}

}  // namespace troupe::workloads
