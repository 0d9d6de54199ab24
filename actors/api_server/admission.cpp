#include "actors/api_server/admission.h"

#include <algorithm>
#include <optional>

#include "actors/api_server/object_fields.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/pod.pb.h"
#include "messages/k8s/scheduling.pb.h"

namespace troupe::apiserver {
namespace {

// k8s.io/api core/v1 well-known taints.
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
/// plugin/pkg/admission/defaulttolerationseconds: both flags default to 300.
constexpr std::int64_t kTolerationSeconds = 300;

Status check_namespace(const Message& object, const WatchCache& cache) {
  const k8s::ObjectMeta& meta = meta_of(object);
  if (meta.namespace_().empty()) return {};
  const Payload name_space = cache.get("Namespace", meta.namespace_());
  if (!name_space || !meta_of(name_space.message()).has_deletion_timestamp()) return {};
  return forbidden(*fields_of(object).kind, meta.name(),
                   "unable to create new content in namespace " + meta.namespace_() +
                       " because it is being terminated");
}

/// A node begins tainted; the node lifecycle controller lifts the taint once the node is Ready.
void taint_new_node(k8s::Node& node) {
  for (const k8s::Taint& taint : node.spec().taints()) {
    if (taint.key() == kNotReady && taint.effect() == "NoSchedule") return;
  }
  k8s::Taint& taint = *node.mutable_spec()->add_taints();
  taint.set_key(std::string(kNotReady));
  taint.set_effect("NoSchedule");
}

struct Priority {
  std::int32_t value = 0;
  std::string policy = "PreemptLowerPriority";
  std::string name;
};

Priority priority_of(const k8s::PriorityClass& found) {
  return {found.value(), found.preemption_policy(), found.metadata().name()};
}

std::optional<Priority> named_priority(const std::string& name, const WatchCache& cache) {
  if (const Payload found = cache.get("PriorityClass", name)) {
    return priority_of(*found.as<k8s::PriorityClass>());
  }
  // scheduling.SystemPriorityClasses exist in every cluster.
  if (name == "system-cluster-critical")
    return Priority{2'000'000'000, "PreemptLowerPriority", name};
  if (name == "system-node-critical") return Priority{2'000'001'000, "PreemptLowerPriority", name};
  return std::nullopt;
}

/// The global default with the lowest value, as the plug-in chooses among several; or none.
Priority default_priority(const WatchCache& cache) {
  std::optional<Priority> chosen;
  for (const auto& [name, object] : cache.objects("PriorityClass")) {
    const auto& candidate = *object.as<k8s::PriorityClass>();
    if (!candidate.global_default()) continue;
    if (!chosen || candidate.value() < chosen->value) chosen = priority_of(candidate);
  }
  return chosen.value_or(Priority{});
}

Status give_priority(k8s::Pod& pod, const WatchCache& cache) {
  k8s::PodSpec& spec = *pod.mutable_spec();
  Priority priority;
  if (spec.priority_class_name().empty()) {
    priority = default_priority(cache);
    if (!priority.name.empty()) spec.set_priority_class_name(priority.name);
  } else if (const auto found = named_priority(spec.priority_class_name(), cache)) {
    priority = *found;
  } else {
    return forbidden(kind_of<k8s::Pod>(), pod.metadata().name(),
                     "no PriorityClass with name " + spec.priority_class_name() + " was found");
  }
  if (spec.has_priority() && spec.priority() != priority.value) {
    return forbidden(kind_of<k8s::Pod>(), pod.metadata().name(),
                     "the integer value of priority (" + std::to_string(spec.priority()) +
                         ") must not be provided in pod spec; priority admission controller "
                         "computed " +
                         std::to_string(priority.value) + " from the given PriorityClass name");
  }
  spec.set_priority(priority.value);
  if (!spec.has_preemption_policy()) spec.set_preemption_policy(priority.policy);
  return {};
}

void tolerate_for_a_while(k8s::PodSpec& spec, std::string_view taint) {
  for (const k8s::Toleration& toleration : spec.tolerations()) {
    const bool same_key = toleration.key() == taint || toleration.key().empty();
    const bool same_effect = toleration.effect() == "NoExecute" || toleration.effect().empty();
    if (same_key && same_effect) return;
  }
  k8s::Toleration& toleration = *spec.add_tolerations();
  toleration.set_key(std::string(taint));
  toleration.set_operator_("Exists");
  toleration.set_effect("NoExecute");
  toleration.set_toleration_seconds(kTolerationSeconds);
}

}  // namespace

Status admit_create(Message& object, const WatchCache& cache) {
  if (Status refused = check_namespace(object, cache)) return refused;
  if (object.GetDescriptor() == k8s::Node::descriptor()) {
    taint_new_node(static_cast<k8s::Node&>(object));
  }
  if (object.GetDescriptor() != k8s::Pod::descriptor()) return {};
  auto& pod = static_cast<k8s::Pod&>(object);
  if (Status refused = give_priority(pod, cache)) return refused;
  tolerate_for_a_while(*pod.mutable_spec(), kNotReady);
  tolerate_for_a_while(*pod.mutable_spec(), kUnreachable);
  return {};
}

}  // namespace troupe::apiserver
