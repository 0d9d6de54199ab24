#include "actors/workloads/pod_gc/controller.h"


#include "actors/scheduling/pod_status.h"
#include "actors/workloads/objects/pods.h"
#include "messages/conditions.h"

namespace troupe::workloads {
namespace {

k8s::Pod failed_patch(const k8s::Pod& pod, bool node_is_gone, SimTime now) {
  k8s::Pod partial = scheduling::partial_of(pod);
  partial.mutable_metadata()->set_uid(pod.metadata().uid());
  k8s::PodStatus& status = *partial.mutable_status();
  status.set_phase("Failed");
  if (node_is_gone) {
    ConditionList conditions = pod.status().conditions();
    set_condition(conditions,
                  {"DisruptionTarget", "True", "DeletionByPodGC", "PodGC: node no longer exists"},
                  now);
    *status.add_conditions() = *find_condition(conditions, "DisruptionTarget");
  }
  return partial;
}

}  // namespace

PodGcController::PodGcController(SharedInformers& informers, const ControllerOptions& options,
                                 std::size_t ended_pods)
    : SyncingController(informers, options, "pod-garbage-collector"),
      ended_pods_(ended_pods != 0 ? ended_pods : kEndedPods) {}

void PodGcController::start(Context& context) {
  SyncingController::start(context);
  pass(context);
}

void PodGcController::pass(Context& context) {
  api_.timers().after(context, kPeriod, "pod gc", [this](Context& later) { pass(later); });
  const PodCache& pods = informers_.pods.cache();
  const NodeCache& nodes = informers_.nodes.cache();
  const auto ended = ended_pods_beyond(pods, ended_pods_);
  const auto out_of_service = pods_out_of_service(informers_.pods_by_node, nodes);
  const auto unbound = unbound_leaving_pods(pods);
  const auto missing = missing_.look(informers_.pods_by_node, nodes, context.now());
  after_deciding(context, static_cast<std::int64_t>(pods.size()), [=, this](Context& later) {
    doom(later, ended);
    doom(later, out_of_service);
    for (const std::string& node : missing) check_node(later, node);
    doom(later, unbound);
  });
}

void PodGcController::doom(Context& context, const std::vector<PodPtr>& pods) {
  for (const PodPtr& pod : pods) {
    const std::string path = path_of(pod->metadata());
    doomed_[path] = {.uid = pod->metadata().uid()};
    enqueue(context, path);
  }
}

void PodGcController::check_node(Context& context, const std::string& node) {
  api_.get(context, key_for<k8s::Node>(node),
           [this, node](Context& later, const ApiResult& result) {
             if (!result.not_found()) return;
             for (const auto& [path, pod] : informers_.pods_by_node.on(node)) {
               doomed_[path] = {.uid = pod->metadata().uid(), .node_is_gone = true};
               enqueue(later, path);
             }
           });
}

void PodGcController::sync(Context& context, const std::string& key) {
  const auto found = doomed_.extract(key);
  const PodPtr pod = informers_.pods.get(key);
  if (found.empty() || pod == nullptr || pod->metadata().uid() != found.mapped().uid) {
    finish(context, key);
    return;
  }
  if (is_terminal(*pod)) {
    remove(context, key, *pod);
    return;
  }
  api_.patch(context, failed_patch(*pod, found.mapped().node_is_gone, context.now()),
             {.subresource = "status", .strategic = true},
             [this, key, pod](Context& later, const ApiResult& result) {
               if (result.ok()) {
                 remove(later, key, *pod);
               } else {
                 finish(later, key);
               }
             });
}

void PodGcController::remove(Context& context, const std::string& key, const k8s::Pod& pod) {
  // Whatever fails is found again by the next pass.
  api_.remove(context, key_of(pod), {.uid = pod.metadata().uid(), .grace_period_seconds = 0},
              [this, key](Context& later, const ApiResult&) { finish(later, key); });
}

}  // namespace troupe::workloads
