#include "actors/karpenter/termination/eviction_queue.h"

#include "actors/workloads/objects/pods.h"

namespace troupe::karpenter {
namespace {

/// pkg/controllers/node/termination/terminator/eviction.go: MaxConcurrentReconciles,
/// evictionQueueBaseDelay and evictionQueueMaxDelay.
constexpr WorkQueueOptions kEvictionQueue{.workers = 100,
                                          .backoff_min = std::chrono::milliseconds(100),
                                          .backoff_max = std::chrono::seconds(10),
                                          .retry_qps = 0};

}  // namespace

EvictionQueue::EvictionQueue(Manager& manager)
    : KeyedController(kEvictionQueue), manager_(manager) {}

void EvictionQueue::add(Context& context, const k8s::Pod& pod) {
  std::string& uid = uids_[path_of(pod.metadata())];
  if (uid == pod.metadata().uid()) return;
  uid = pod.metadata().uid();
  enqueue(context, path_of(pod.metadata()));
}

void EvictionQueue::leave(Context& context, const std::string& path) {
  uids_.erase(path);
  finish(context, path);
}

void EvictionQueue::reconcile(Context& context, const std::string& path) {
  const auto pod = manager_.pods.get(path);
  const auto wanted = uids_.find(path);
  if (pod == nullptr || wanted == uids_.end() || pod->metadata().uid() != wanted->second ||
      is_terminating(*pod)) {
    return leave(context, path);
  }
  manager_.api.evict(context, key_of(*pod), {.uid = pod->metadata().uid()},
                     [this, path, pod](Context& later, const ApiResult& result) {
                       take_answer(later, path, *pod, result);
                     });
}

void EvictionQueue::take_answer(Context& context, const std::string& path, const k8s::Pod& pod,
                                const ApiResult& result) {
  if (result.ok()) {
    manager_.events.record(context, pod, {"Normal", "Evicted", "Evicted pod"});
    return leave(context, path);
  }
  // 409: the uid is another one's; the pod that was meant is gone.
  if (result.not_found() || result.code == 409) return leave(context, path);
  if (result.too_many_requests()) {
    const auto node = manager_.nodes.get(pod.spec().node_name());
    if (node != nullptr) {
      manager_.events.record(
          context, *node,
          {"Warning", "FailedDraining",
           "Failed to drain node, evicting pod " + path + ": " + result.message});
    }
  }
  finish(context, path, {.ok = false});
}

}  // namespace troupe::karpenter
