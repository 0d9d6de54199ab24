#include "actors/workloads/disruption/scales.h"

#include <optional>

#include "actors/workloads/leader_worker_set/groups.h"
#include "actors/workloads/objects/owners.h"
#include "messages/kinds.h"

namespace troupe::workloads {
namespace {

/// The object that the reference means, if the cache has it; one of the same name may be another.
template <class T>
std::shared_ptr<const T> owner(const Informer<T>& informer, const std::string& name_space,
                               const k8s::OwnerReference& reference) {
  auto found = informer.get(name_space, reference.name());
  if (found != nullptr && found->metadata().uid() != reference.uid()) found = nullptr;
  return found;
}

/// spec.replicas, 1 where it is unset.
template <class T>
ControllerScale scale_of(const T& object) {
  return {object.metadata().uid(), object.spec().has_replicas() ? object.spec().replicas() : 1};
}

std::optional<ControllerScale> replica_set_scale(const std::string& name_space,
                                                 const k8s::OwnerReference& reference,
                                                 const SharedInformers& informers) {
  const auto set = owner(informers.replica_sets, name_space, reference);
  if (set == nullptr) return std::nullopt;
  const k8s::OwnerReference* above = controller_of(set->metadata());
  if (above != nullptr && above->kind() == "Deployment") {
    const auto deployment = owner(informers.deployments, name_space, *above);
    if (deployment != nullptr) return scale_of(*deployment);
  }
  return scale_of(*set);
}

/// Workers of a LeaderWorkerSet are owned by the pod that leads them.
std::optional<ControllerScale> worker_scale(const std::string& name_space,
                                            const k8s::OwnerReference& reference,
                                            const SharedInformers& informers) {
  const auto leader = owner(informers.pods, name_space, reference);
  const k8s::OwnerReference* above =
      leader != nullptr ? controller_of(leader->metadata()) : nullptr;
  if (above == nullptr) return std::nullopt;
  const auto set = owner(informers.leader_worker_sets, name_space, *above);
  if (set == nullptr) return std::nullopt;
  return ControllerScale{leader->metadata().uid(), size_of(*set) - 1};
}

template <class T>
std::optional<ControllerScale> scale_in(const Informer<T>& informer, const std::string& name_space,
                                        const k8s::OwnerReference& reference) {
  const auto object = owner(informer, name_space, reference);
  return object != nullptr ? std::optional(scale_of(*object)) : std::nullopt;
}

std::string why_not(const k8s::OwnerReference& reference) {
  const Kind* kind = find_kind(reference.api_version(), reference.kind());
  if (kind == nullptr) {
    return "no matches for kind \"" + reference.kind() + "\" in version \"" +
           reference.api_version() + "\"";
  }
  std::string resource(kind->plural);
  const auto slash = reference.api_version().find('/');
  if (slash != std::string::npos) resource += "." + reference.api_version().substr(0, slash);
  return resource + " does not implement the scale subresource";
}

}  // namespace

Result<ControllerScale> scale_of_controller(const k8s::Pod& pod, const SharedInformers& informers) {
  const std::string& name_space = pod.metadata().namespace_();
  const k8s::OwnerReference& reference = *controller_of(pod.metadata());
  const std::string& kind = reference.kind();
  std::optional<ControllerScale> scale;
  if (kind == "ReplicaSet") {
    scale = replica_set_scale(name_space, reference, informers);
  } else if (kind == "StatefulSet") {
    scale = scale_in(informers.stateful_sets, name_space, reference);
  } else if (kind == "LeaderWorkerSet") {
    scale = scale_in(informers.leader_worker_sets, name_space, reference);
  } else if (kind == "Pod") {
    scale = worker_scale(name_space, reference, informers);
  } else {
    return fail(why_not(reference));
  }
  if (!scale) return fail("found no controllers for pod \"" + pod.metadata().name() + "\"");
  return *scale;
}

}  // namespace troupe::workloads
