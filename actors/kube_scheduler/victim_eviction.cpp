#include "actors/kube_scheduler/victim_eviction.h"

#include <utility>

#include "actors/scheduling/pod_status.h"
#include "messages/facts.pb.h"

namespace troupe::kube_scheduler {
namespace {

facts::PodEvicted evicted_fact(const k8s::Pod& victim, const std::string& by) {
  facts::PodEvicted fact;
  fact.set_uid(victim.metadata().uid());
  fact.set_namespace_(victim.metadata().namespace_());
  fact.set_name(victim.metadata().name());
  fact.set_by(by);
  fact.set_reason("Preempted");
  return fact;
}

}  // namespace

void VictimEviction::evict(Context& context, const scheduling::PodInfo& preemptor,
                           const std::string& node,
                           const std::vector<std::shared_ptr<const k8s::Pod>>& victims, Done done) {
  // Shared by the callbacks of all victims: the last one to come back calls `done`.
  const auto left = std::make_shared<std::size_t>(victims.size());
  const auto one_less = [left, done](Context& later) {
    if (--*left == 0) done(later);
  };
  for (const auto& victim : victims) {
    events_.record(
        context, *victim,
        {"Normal", "Preempted", "Preempted by pod " + preemptor.uid() + " on node " + node});
    mark(context, *victim, [this, victim, one_less](Context& later) {
      later.emit(Payload::of(evicted_fact(*victim, scheduler_name_)));
      api_.remove(later, key_of(*victim), {.uid = victim->metadata().uid()},
                  [one_less](Context& last, const ApiResult&) { one_less(last); });
    });
  }
  if (victims.empty()) done(context);
}

void VictimEviction::mark(Context& context, const k8s::Pod& victim, Done marked) {
  auto patch = scheduling::condition_patch(
      victim,
      {"DisruptionTarget", "True", "PreemptionByScheduler",
       scheduler_name_ + ": preempting to accommodate a higher priority pod"},
      context.now());
  if (!patch) {
    marked(context);
    return;
  }
  // As in the original, the deletion follows whether or not the mark could be set.
  api_.patch(context, std::move(*patch), {.subresource = "status", .strategic = true},
             [marked](Context& later, const ApiResult&) { marked(later); });
}

void VictimEviction::withdraw_nomination(Context& context, const k8s::Pod& pod) {
  api_.patch(context, scheduling::partial_of(pod),
             {.clear = {"status.nominatedNodeName"}, .subresource = "status"},
             [](Context&, const ApiResult&) {});
}

}  // namespace troupe::kube_scheduler
