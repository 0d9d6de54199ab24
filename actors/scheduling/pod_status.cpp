#include "actors/scheduling/pod_status.h"
#include "messages/facts.pb.h"

namespace troupe::scheduling {

k8s::Pod partial_of(const k8s::Pod& pod) {
  k8s::Pod partial;
  partial.mutable_metadata()->set_name(pod.metadata().name());
  partial.mutable_metadata()->set_namespace_(pod.metadata().namespace_());
  return partial;
}

std::optional<k8s::Pod> condition_patch(const k8s::Pod& pod, const ConditionState& state,
                                        SimTime now) {
  ConditionList conditions = pod.status().conditions();
  if (!set_condition(conditions, state, now)) return std::nullopt;
  k8s::Pod partial = partial_of(pod);
  *partial.mutable_status()->add_conditions() = *find_condition(conditions, state.type);
  return partial;
}

std::optional<k8s::Pod> not_scheduled_patch(const k8s::Pod& pod, std::string_view reason,
                                            std::string_view message, SimTime now) {
  return condition_patch(pod, {"PodScheduled", "False", reason, message}, now);
}

Payload unschedulable_fact(const k8s::Pod& pod, std::string_view message) {
  facts::PodUnschedulable fact;
  fact.set_uid(pod.metadata().uid());
  fact.set_namespace_(pod.metadata().namespace_());
  fact.set_name(pod.metadata().name());
  fact.set_message(std::string(message));
  return Payload::of(std::move(fact));
}

}  // namespace troupe::scheduling
