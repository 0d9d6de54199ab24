#include "actors/kube_scheduler/victim_eviction.h"

#include <utility>

#include "actors/scheduling/pod_status.h"
#include "messages/assert.h"
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
                           const std::string& node, std::vector<PodObject> victims, Steps steps) {
  TROUPE_ASSERT(!victims.empty(), "a preemption without victims");
  const std::string by = preemptor.uid();
  const PodObject last = std::move(victims.back());
  victims.pop_back();
  const auto finish = [this, by, node, last, steps](Context& later, bool ok) {
    if (!ok) return steps.failed(later);
    steps.unblock(later);
    evict_one(later, by, node, last, [steps](Context& latest, bool last_ok) {
      if (!last_ok) steps.failed(latest);
    });
  };
  if (victims.empty()) return finish(context, true);
  struct Tally {
    std::size_t left;
    bool ok = true;
  };
  const auto tally = std::make_shared<Tally>(Tally{victims.size()});
  for (const PodObject& victim : victims) {
    evict_one(context, by, node, victim, [tally, finish](Context& later, bool ok) {
      tally->ok = tally->ok && ok;
      if (--tally->left == 0) finish(later, tally->ok);
    });
  }
}

void VictimEviction::evict_one(Context& context, const std::string& preemptor,
                               const std::string& node, const PodObject& victim, Deleted deleted) {
  events_.record(context, *victim,
                 {"Normal", "Preempted", "Preempted by pod " + preemptor + " on node " + node});
  mark(context, *victim, [this, victim, deleted = std::move(deleted)](Context& later) {
    later.emit(Payload::of(evicted_fact(*victim, scheduler_name_)));
    api_.remove(later, key_of(*victim), {.uid = victim->metadata().uid()},
                [deleted](Context& last, const ApiResult& result) {
                  deleted(last, result.ok() || result.not_found());
                });
  });
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
