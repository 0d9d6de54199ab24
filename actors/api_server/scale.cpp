#include "actors/api_server/scale.h"

#include "actors/api_server/mutation.h"
#include "actors/api_server/validation.h"
#include "messages/k8s/apps.pb.h"
#include "messages/lws.pb.h"
#include "messages/selector.h"

namespace troupe::apiserver {
namespace {

template <class Workload>
bool fill_selector(k8s::Scale& scale, const Message& object) {
  if (object.GetDescriptor() != Workload::descriptor()) return false;
  const auto& workload = static_cast<const Workload&>(object);
  scale.mutable_status()->set_selector(selector_text(workload.spec().selector()));
  scale.mutable_status()->set_replicas(workload.status().replicas());
  return true;
}

void fill_status(k8s::Scale& scale, const Message& object) {
  if (fill_selector<k8s::Deployment>(scale, object)) return;
  if (fill_selector<k8s::ReplicaSet>(scale, object)) return;
  if (fill_selector<k8s::StatefulSet>(scale, object)) return;
  if (object.GetDescriptor() != lws::LeaderWorkerSet::descriptor()) return;
  const auto& set = static_cast<const lws::LeaderWorkerSet&>(object);
  scale.mutable_status()->set_replicas(set.status().replicas());
  scale.mutable_status()->set_selector(set.status().hpa_pod_selector());
}

bool is_scalable(const KindFields& fields) {
  const auto* type = fields.kind->prototype->GetDescriptor();
  return fields.spec_replicas != nullptr &&
         (type == k8s::Deployment::descriptor() || type == k8s::ReplicaSet::descriptor() ||
          type == k8s::StatefulSet::descriptor() || type == lws::LeaderWorkerSet::descriptor());
}

}  // namespace

Result<k8s::Scale> scale_of(const Message& object) {
  const KindFields& fields = fields_of(object);
  if (!is_scalable(fields)) return fail("the server could not find the requested resource");
  const k8s::ObjectMeta& meta = meta_of(object);
  k8s::Scale scale;
  scale.mutable_metadata()->set_name(meta.name());
  scale.mutable_metadata()->set_namespace_(meta.namespace_());
  scale.mutable_metadata()->set_uid(meta.uid());
  scale.mutable_metadata()->set_resource_version(meta.resource_version());
  const Message& spec = object.GetReflection()->GetMessage(object, fields.spec);
  scale.mutable_spec()->set_replicas(spec.GetReflection()->GetInt32(spec, fields.spec_replicas));
  fill_status(scale, object);
  return scale;
}

Decision decide_scale(const Mutation& mutation, const Message& current) {
  const KindFields& fields = fields_of(current);
  if (!is_scalable(fields)) {
    return Decision::refuse(not_found(mutation.kind, mutation.request.key().name()));
  }
  const std::int64_t replicas = mutation.request.replicas();
  FieldErrors errors;
  check_not_negative(errors, "spec.replicas", replicas);
  if (!errors.empty()) {
    return Decision::refuse(invalid(kind_of<k8s::Scale>(), mutation.request.key().name(), errors));
  }
  std::unique_ptr<Message> after = copy_of(current);
  Message& spec = *after->GetReflection()->MutableMessage(after.get(), fields.spec);
  spec.GetReflection()->SetInt32(&spec, fields.spec_replicas, static_cast<std::int32_t>(replicas));
  return finish_update(std::move(after), current);
}

}  // namespace troupe::apiserver
