#include "actors/kai/bind_requests.h"

#include <string>

#include "actors/kai/names.h"
#include "messages/labels.h"

namespace troupe::kai {
namespace {

constexpr std::int64_t kMilliPerGpu = 1000;

}  // namespace

BindRequest bind_request(const k8s::Pod& pod, const schedulers::KaiBind& bind) {
  BindRequest request;
  k8s::ObjectMeta& meta = *request.mutable_metadata();
  meta.set_name(pod.metadata().name());
  meta.set_namespace_(pod.metadata().namespace_());
  set_label(*meta.mutable_labels(), kSelectedNodeLabel, bind.node());
  k8s::OwnerReference& owner = *meta.add_owner_references();
  owner.set_api_version("v1");
  owner.set_kind("Pod");
  owner.set_name(pod.metadata().name());
  owner.set_uid(pod.metadata().uid());
  BindRequestSpec& spec = *request.mutable_spec();
  spec.set_pod_name(pod.metadata().name());
  spec.set_selected_node(bind.node());
  spec.set_received_resource_type("Regular");
  spec.mutable_received_gpu()->set_count(
      static_cast<std::int32_t>(bind.milli_gpu() / kMilliPerGpu));
  spec.mutable_received_gpu()->set_portion("1.00");
  return request;
}

}  // namespace troupe::kai
