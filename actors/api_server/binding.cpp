// BIND, the subresource pods/binding: a pod gets its node once and for all.
#include <utility>

#include "actors/api_server/mutation.h"
#include "messages/conditions.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::apiserver {
namespace {

constexpr std::string_view kResource = "pods/binding";

/// registry/core/pod/storage: what makes an assignment impossible; empty if nothing does. Whether
/// the node exists is not looked at, in life either.
std::string obstacle(const k8s::Pod& pod) {
  const std::string& name = pod.metadata().name();
  if (pod.metadata().has_deletion_timestamp()) {
    return "pod " + name + " is being deleted, cannot be assigned to a host";
  }
  if (!pod.spec().node_name().empty()) {
    return "pod " + name + " is already assigned to node \"" + pod.spec().node_name() + "\"";
  }
  if (!pod.spec().scheduling_gates().empty()) {
    return "pod " + name + " has non-empty .spec.schedulingGates";
  }
  return {};
}

}  // namespace

Decision decide_binding(const Mutation& mutation, const Message& current) {
  const auto& request = mutation.request;
  if (current.GetDescriptor() != k8s::Pod::descriptor()) {
    return Decision::refuse(not_found(mutation.kind, request.key().name()));
  }
  if (request.node_name().empty()) {
    return Decision::refuse(bad_request("target.name: Required value"));
  }
  const auto& pod = static_cast<const k8s::Pod&>(current);
  if (const std::string why = obstacle(pod); !why.empty()) {
    return Decision::refuse(conflict(kResource, request.key().name(), why));
  }
  auto bound = std::make_unique<k8s::Pod>(pod);
  bound->mutable_spec()->set_node_name(request.node_name());
  raise_generation(*bound->mutable_metadata());
  set_condition(*bound->mutable_status()->mutable_conditions(),
                {.type = "PodScheduled", .status = "True"}, from_ns(whole_second(mutation.now)));
  return Decision::write(std::move(bound));
}

}  // namespace troupe::apiserver
