#include "actors/workloads/taint_eviction/controller.h"

#include <algorithm>
#include <utility>

#include "actors/scheduling/pod_status.h"
#include "actors/workloads/objects/pods.h"
#include "actors/workloads/taint_eviction/stay.h"
#include "messages/facts.pb.h"
#include "messages/same_message.h"

namespace troupe::workloads {
namespace {

constexpr std::string_view kName = "taint-eviction-controller";
constexpr std::string_view kReason = "DeletionByTaintManager";
bool same_stay(const k8s::Pod& a, const k8s::Pod& b) {
  return a.spec().node_name() == b.spec().node_name() && a.metadata().uid() == b.metadata().uid() &&
         std::ranges::equal(a.spec().tolerations(), b.spec().tolerations(), same_message);
}

}  // namespace

TaintEvictionController::TaintEvictionController(SharedInformers& informers,
                                                 const ControllerOptions& options)
    : SyncingController(informers, options, std::string(kName)) {
  using NodePtr = std::shared_ptr<const k8s::Node>;
  informers.nodes.on_add(
      [this](Context& context, const NodePtr& node) { consider_node(context, *node); });
  informers.nodes.on_update([this](Context& context, const NodePtr& before, const NodePtr& after) {
    if (same_taints(no_execute_taints(*before), no_execute_taints(*after))) return;
    consider_node(context, *after);
  });
  informers.pods.on_add(
      [this](Context& context, const PodPtr& pod) { consider_pod(context, pod); });
  informers.pods.on_update([this](Context& context, const PodPtr& before, const PodPtr& after) {
    if (!same_stay(*before, *after)) consider_pod(context, after);
  });
  informers.pods.on_delete([this](Context& context, const PodPtr& pod) { cancel(context, *pod); });
}

void TaintEvictionController::start(Context& context) {
  SyncingController::start(context);
  running_ = true;
  for (const auto& [name, node] : informers_.nodes.cache()) consider_node(context, *node);
}

void TaintEvictionController::consider_node(Context& context, const k8s::Node& node) {
  if (!running_) return;
  const Taints taints = no_execute_taints(node);
  for (const auto& [path, pod] : informers_.pods_by_node.on(node.metadata().name())) {
    consider(context, pod, taints);
  }
}

void TaintEvictionController::consider_pod(Context& context, const PodPtr& pod) {
  if (!running_ || !is_bound(*pod)) return;
  const auto node = informers_.nodes.get(pod->spec().node_name());
  if (node != nullptr) consider(context, pod, no_execute_taints(*node));
}

void TaintEvictionController::consider(Context& context, const PodPtr& pod, const Taints& taints) {
  const std::optional<Duration> stay = stay_of(pod->spec().tolerations(), taints);
  if (!stay) {
    cancel(context, *pod);
  } else if (!is_terminating(*pod)) {
    schedule(context, pod, *stay);
  }
}

void TaintEvictionController::schedule(Context& context, const PodPtr& pod, Duration stay) {
  const std::string path = path_of(pod->metadata());
  if (const auto due = due_.find(path); due != due_.end() && due->second == pod->metadata().uid()) {
    return;
  }
  SimTime since = context.now();
  if (const auto known = scheduled_.find(path); known != scheduled_.end()) {
    const bool same = known->second.uid == pod->metadata().uid();
    if (same && stay > Duration::zero() && known->second.since < since) return;
    cancel(context, *pod);
  }
  if (stay == Duration::zero()) {
    fire(context, pod);
    return;
  }
  const TimerId timer = api_.timers().after(context, stay, "toleration ends",
                                            [this, pod](Context& later) { fire(later, pod); });
  scheduled_[path] = {pod->metadata().uid(), since, timer};
}

void TaintEvictionController::fire(Context& context, const PodPtr& pod) {
  const std::string path = path_of(pod->metadata());
  scheduled_.erase(path);
  const PodPtr known = informers_.pods.get(path);
  if (known == nullptr || is_terminating(*known)) return;
  due_[path] = pod->metadata().uid();
  record(context, *pod, "Normal", "TaintManagerEviction", "Marking for deletion Pod " + path);
  enqueue(context, path);
}

void TaintEvictionController::cancel(Context& context, const k8s::Pod& pod) {
  const std::string path = path_of(pod.metadata());
  due_.erase(path);
  const auto known = scheduled_.find(path);
  if (known == scheduled_.end()) return;
  api_.timers().cancel(context, known->second.timer);
  scheduled_.erase(known);
  record(context, pod, "Normal", "TaintManagerEviction", "Cancelling deletion of Pod " + path);
}

void TaintEvictionController::sync(Context& context, const std::string& key) {
  const auto due = due_.find(key);
  if (due == due_.end()) {
    finish(context, key);
    return;
  }
  const std::string uid = due->second;
  after_deciding(context, 1, [this, key, uid](Context& deciding) {
    api_.get(deciding, key_for<k8s::Pod>(key),
             [this, key, uid](Context& later, const ApiResult& result) {
               const auto pod = result.as<k8s::Pod>();
               const bool mine =
                   pod != nullptr && pod->metadata().uid() == uid && !is_terminating(*pod);
               if (mine) {
                 mark(later, key, *pod);
                 return;
               }
               if (pod != nullptr || result.not_found()) due_.erase(key);
               finish(later, key, pod != nullptr || result.not_found());
             });
  });
}

void TaintEvictionController::mark(Context& context, const std::string& key, const k8s::Pod& pod) {
  const auto doomed = std::make_shared<const k8s::Pod>(pod);
  auto patch = scheduling::condition_patch(
      pod, {"DisruptionTarget", "True", kReason, "Taint manager: deleting due to NoExecute taint"},
      context.now());
  if (!patch) {
    remove(context, key, doomed);
    return;
  }
  patch->mutable_metadata()->set_uid(pod.metadata().uid());
  api_.patch(context, std::move(*patch), {.subresource = "status", .strategic = true},
             [this, key, doomed](Context& later, const ApiResult& result) {
               if (result.ok()) {
                 remove(later, key, doomed);
               } else {
                 finish(later, key, false);
               }
             });
}

void TaintEvictionController::remove(Context& context, const std::string& key, const PodPtr& pod) {
  const k8s::ObjectMeta& meta = pod->metadata();
  api_.remove(context, key_of(*pod), {.uid = meta.uid()},
              [this, key, pod](Context& later, const ApiResult& result) {
                if (result.ok()) {
                  facts::PodEvicted fact;
                  fact.set_uid(pod->metadata().uid());
                  fact.set_namespace_(pod->metadata().namespace_());
                  fact.set_name(pod->metadata().name());
                  fact.set_by(std::string(kName));
                  fact.set_reason(std::string(kReason));
                  later.emit(Payload::of(std::move(fact)));
                }
                if (result.ok()) due_.erase(key);
                finish(later, key, result.ok());
              });
}

}  // namespace troupe::workloads
