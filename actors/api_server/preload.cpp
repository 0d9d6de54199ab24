#include "actors/api_server/preload.h"

#include "actors/api_client/object_key.h"
#include "actors/api_server/admission.h"
#include "actors/api_server/defaults.h"
#include "actors/api_server/defaults_pod.h"
#include "actors/api_server/mutation.h"
#include "messages/hash.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::apiserver {
namespace {

void complete_pod(k8s::Pod& pod, const WatchCache& given) {
  // Its priority and tolerations are those that admission would have given it; what admission would
  // refuse stays as given.
  static_cast<void>(admit_create(pod, given));
  if (!pod.status().has_phase()) pod.mutable_status()->set_phase("Pending");
  if (!pod.status().has_qos_class()) pod.mutable_status()->set_qos_class(qos_class_of(pod.spec()));
}

Payload complete(const Message& given, const WatchCache& all) {
  std::unique_ptr<Message> object = copy_of(given);
  k8s::ObjectMeta& meta = *mutable_meta(*object);
  if (fields_of(given).kind->namespaced && meta.namespace_().empty())
    meta.set_namespace_("default");
  if (meta.uid().empty()) {
    meta.set_uid(make_uid(mix(hash_bytes("initial"), hash_of(key_of(*object)))));
  }
  if (meta.generation() == 0) meta.set_generation(1);
  if (!meta.has_creation_timestamp()) meta.set_creation_timestamp(0);
  meta.clear_resource_version();
  sort_maps(meta);
  apply_defaults(*object);
  if (object->GetDescriptor() == k8s::Pod::descriptor()) {
    complete_pod(static_cast<k8s::Pod&>(*object), all);
  }
  return Payload(std::move(object), {});
}

}  // namespace

std::vector<Payload> prepare_preload(const std::vector<Payload>& objects) {
  WatchCache given{WatchCache::Limits{}};
  given.reset(0, objects);
  std::vector<Payload> prepared;
  prepared.reserve(objects.size());
  for (const Payload& object : objects) prepared.push_back(complete(object.message(), given));
  return prepared;
}

}  // namespace troupe::apiserver
