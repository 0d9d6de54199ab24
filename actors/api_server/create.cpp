// CREATE: identity, defaults, admission, validation, and a status that begins empty.
#include <string_view>
#include <utility>

#include "actors/api_server/admission.h"
#include "actors/api_server/defaults.h"
#include "actors/api_server/defaults_pod.h"
#include "actors/api_server/mutation.h"
#include "actors/api_server/validation.h"
#include "messages/hash.h"
#include "messages/k8s/batch.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/pod.pb.h"
#include "messages/k8s/volume.pb.h"
#include "messages/labels.h"

namespace troupe::apiserver {
namespace {

// k8s.io/apiserver storage/names/generate.go.
constexpr std::string_view kSuffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kSuffixLength = 5;
constexpr std::size_t kGeneratedBaseLength = 58;

std::string generated_name(const std::string& base, std::uint64_t identity, std::uint32_t attempt) {
  std::string name = base.substr(0, kGeneratedBaseLength);
  std::uint64_t draw = mix(identity, hash_bytes("generateName"), attempt);
  for (std::size_t i = 0; i < kSuffixLength; ++i) {
    name.push_back(kSuffixAlphabet[draw % kSuffixAlphabet.size()]);
    draw /= kSuffixAlphabet.size();
  }
  return name;
}

/// batch/v1 generates a job's selector, so that it means this job's pods and no other's.
void select_own_pods(k8s::Job& job) {
  if (job.spec().manual_selector()) return;
  const k8s::ObjectMeta& meta = job.metadata();
  LabelMap& labels = *job.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels();
  set_label(labels, "batch.kubernetes.io/controller-uid", meta.uid());
  set_label(labels, "batch.kubernetes.io/job-name", meta.name());
  set_label(labels, "controller-uid", meta.uid());
  set_label(labels, "job-name", meta.name());
  set_label(*job.mutable_spec()->mutable_selector()->mutable_match_labels(),
            "batch.kubernetes.io/controller-uid", meta.uid());
}

/// What a kind's strategy puts into a new object's status and spec. A node's status is the
/// kubelet's own to report, with the node's creation.
void begin_life(Message& object) {
  const auto* type = object.GetDescriptor();
  if (type == k8s::Node::descriptor()) return;
  clear_status(object);
  if (type == k8s::Pod::descriptor()) {
    auto& pod = static_cast<k8s::Pod&>(object);
    pod.mutable_status()->set_phase("Pending");
    pod.mutable_status()->set_qos_class(qos_class_of(pod.spec()));
  } else if (type == k8s::Job::descriptor()) {
    select_own_pods(static_cast<k8s::Job&>(object));
  } else if (type == k8s::Namespace::descriptor()) {
    static_cast<k8s::Namespace&>(object).mutable_status()->set_phase("Active");
  } else if (type == k8s::PersistentVolumeClaim::descriptor()) {
    static_cast<k8s::PersistentVolumeClaim&>(object).mutable_status()->set_phase("Pending");
  }
}

/// Identity, defaults and the status that a life begins with. The object has its name already.
void make_new(Message& object, const Kind& kind, std::uint64_t identity, SimTime now) {
  k8s::ObjectMeta& meta = *mutable_meta(object);
  if (!kind.namespaced) {
    meta.clear_namespace_();
  } else if (meta.namespace_().empty()) {
    meta.set_namespace_("default");
  }
  meta.set_uid(make_uid(identity));
  meta.set_creation_timestamp(whole_second(now));
  meta.set_generation(1);
  meta.clear_deletion_timestamp();
  meta.clear_deletion_grace_period_seconds();
  sort_maps(meta);
  apply_defaults(object);
  begin_life(object);
}

}  // namespace

Decision decide_create(const Mutation& mutation) {
  if (!meta_of(mutation.body.message()).resource_version().empty()) {
    return Decision::refuse(
        internal_error("resourceVersion should not be set on objects to be created"));
  }
  std::unique_ptr<Message> object = copy_of(mutation.body.message());
  k8s::ObjectMeta& meta = *mutable_meta(*object);
  const std::string& prefix = mutation.request.generate_name().empty()
                                  ? meta.generate_name()
                                  : mutation.request.generate_name();
  if (meta.name().empty() && !prefix.empty()) {
    meta.set_name(generated_name(prefix, mutation.identity, mutation.attempt));
  }
  make_new(*object, mutation.kind, mutation.identity, mutation.now);
  if (Status refused = admit_create(*object, mutation.cache)) {
    return Decision::refuse(std::move(refused));
  }
  if (FieldErrors errors = validate_create(*object); !errors.empty()) {
    return Decision::refuse(invalid(mutation.kind, meta.name(), errors));
  }
  return Decision::write(std::move(object));
}

FieldErrors creation_errors(const Kind& kind, const Message& body) {
  std::unique_ptr<Message> object = copy_of(body);
  k8s::ObjectMeta& meta = *mutable_meta(*object);
  if (meta.name().empty()) meta.set_name(generated_name(meta.generate_name(), 0, 0));
  make_new(*object, kind, 0, kTimeZero);
  return validate_create(*object);
}

}  // namespace troupe::apiserver
