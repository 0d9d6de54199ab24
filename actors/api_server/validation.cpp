#include "actors/api_server/validation.h"

#include "actors/api_server/object_fields.h"
#include "actors/api_server/validation_meta.h"
#include "actors/api_server/validation_pod.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/k8s/batch.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/policy.pb.h"
#include "messages/k8s/scheduling.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/selector.h"

namespace troupe::apiserver {
namespace {

bool is_empty(const k8s::LabelSelector& selector) {
  return selector.match_labels().empty() && selector.match_expressions().empty();
}

/// A workload's selector must be there and must mean the pods that its own template makes.
void validate_workload(FieldErrors& errors, const k8s::LabelSelector& selector,
                       const k8s::PodTemplateSpec& pod_template) {
  if (is_empty(selector)) {
    errors.push_back(required_value("spec.selector"));
  } else if (!matches(selector, pod_template.metadata().labels())) {
    errors.push_back(invalid_value("spec.template.metadata.labels", "",
                                   "`selector` does not match template `labels`"));
  }
  validate_pod_spec(errors, "spec.template.spec", pod_template.spec());
  if (pod_template.spec().restart_policy() != "Always") {
    errors.push_back("spec.template.spec.restartPolicy: Unsupported value: \"" +
                     pod_template.spec().restart_policy() + "\": supported values: \"Always\"");
  }
}

void check(FieldErrors& errors, const k8s::Pod& pod) {
  validate_pod_spec(errors, "spec", pod.spec());
}

void check(FieldErrors& errors, const k8s::Deployment& deployment) {
  validate_workload(errors, deployment.spec().selector(), deployment.spec().template_());
  const auto& rolling = deployment.spec().strategy().rolling_update();
  const auto is_none = [](const std::string& text) { return text == "0" || text == "0%"; };
  if (is_none(rolling.max_surge()) && is_none(rolling.max_unavailable())) {
    errors.push_back(invalid_value("spec.strategy.rollingUpdate.maxUnavailable", "0",
                                   "may not be 0 when `maxSurge` is 0"));
  }
}

void check(FieldErrors& errors, const k8s::ReplicaSet& set) {
  validate_workload(errors, set.spec().selector(), set.spec().template_());
}

void check(FieldErrors& errors, const k8s::StatefulSet& set) {
  validate_workload(errors, set.spec().selector(), set.spec().template_());
}

void check(FieldErrors& errors, const k8s::DaemonSet& set) {
  validate_workload(errors, set.spec().selector(), set.spec().template_());
}

void check(FieldErrors& errors, const k8s::Job& job) {
  const k8s::JobSpec& spec = job.spec();
  validate_pod_spec(errors, "spec.template.spec", spec.template_().spec());
  check_not_negative(errors, "spec.parallelism", spec.parallelism());
  check_not_negative(errors, "spec.completions", spec.completions());
  check_not_negative(errors, "spec.backoffLimit", spec.backoff_limit());
  if (spec.template_().spec().restart_policy() == "Always") {
    errors.push_back(
        "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"");
  }
  if (spec.completion_mode() == "Indexed" && !spec.has_completions()) {
    errors.push_back(required_value("spec.completions", "when completion mode is Indexed"));
  }
}

void check(FieldErrors& errors, const k8s::HorizontalPodAutoscaler& hpa) {
  const auto& spec = hpa.spec();
  if (spec.min_replicas() < 1 && spec.has_min_replicas()) {
    errors.push_back(invalid_value("spec.minReplicas", std::to_string(spec.min_replicas()),
                                   "must be greater than or equal to 1"));
  }
  if (spec.max_replicas() < 1) {
    errors.push_back(invalid_value("spec.maxReplicas", std::to_string(spec.max_replicas()),
                                   "must be greater than 0"));
  }
  if (spec.max_replicas() < spec.min_replicas()) {
    errors.push_back(invalid_value("spec.maxReplicas", std::to_string(spec.max_replicas()),
                                   "must be greater than or equal to `minReplicas`"));
  }
  if (spec.scale_target_ref().kind().empty())
    errors.push_back(required_value("spec.scaleTargetRef.kind"));
  if (spec.scale_target_ref().name().empty())
    errors.push_back(required_value("spec.scaleTargetRef.name"));
}

void check(FieldErrors& errors, const k8s::PodDisruptionBudget& budget) {
  if (budget.spec().has_min_available() && budget.spec().has_max_unavailable()) {
    errors.push_back(
        invalid_value("spec", "", "minAvailable and maxUnavailable cannot be both set"));
  }
}

void check(FieldErrors& errors, const k8s::Service& service) {
  const bool headless = service.spec().cluster_ip() == "None";
  const bool external = service.spec().type() == "ExternalName";
  if (service.spec().ports().empty() && !headless && !external) {
    errors.push_back(required_value("spec.ports"));
  }
}

template <class T>
bool check_as(FieldErrors& errors, const Message& object) {
  if (object.GetDescriptor() != T::descriptor()) return false;
  check(errors, static_cast<const T&>(object));
  return true;
}

template <class... Kinds>
void check_any(FieldErrors& errors, const Message& object) {
  static_cast<void>((check_as<Kinds>(errors, object) || ...));
}

void check_replicas(FieldErrors& errors, const Message& object) {
  const KindFields& fields = fields_of(object);
  if (fields.spec_replicas == nullptr) return;
  const Message& spec = object.GetReflection()->GetMessage(object, fields.spec);
  const auto* reflection = spec.GetReflection();
  const bool is_wide =
      fields.spec_replicas->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_INT64;
  check_not_negative(errors, "spec.replicas",
                     is_wide ? reflection->GetInt64(spec, fields.spec_replicas)
                             : reflection->GetInt32(spec, fields.spec_replicas));
}

}  // namespace

std::string required_value(std::string_view field, std::string_view detail) {
  std::string text = std::string(field) + ": Required value";
  if (!detail.empty()) text.append(": ").append(detail);
  return text;
}

std::string invalid_value(std::string_view field, std::string_view value, std::string_view detail) {
  const bool is_number =
      value.find_first_not_of("-0123456789") == std::string_view::npos && !value.empty();
  std::string text = std::string(field) + ": Invalid value: ";
  text += is_number ? std::string(value) : "\"" + std::string(value) + "\"";
  return text.append(": ").append(detail);
}

std::string forbidden_change(std::string_view field, std::string_view detail) {
  return std::string(field) + ": Forbidden: " + std::string(detail);
}

void check_not_negative(FieldErrors& errors, std::string_view field, std::int64_t value) {
  if (value >= 0) return;
  errors.push_back(
      invalid_value(field, std::to_string(value), "must be greater than or equal to 0"));
}

FieldErrors validate_create(const Message& object) {
  FieldErrors errors;
  validate_meta(errors, *fields_of(object).kind, meta_of(object));
  check_replicas(errors, object);
  check_any<k8s::Pod, k8s::Deployment, k8s::ReplicaSet, k8s::StatefulSet, k8s::DaemonSet, k8s::Job,
            k8s::HorizontalPodAutoscaler, k8s::PodDisruptionBudget, k8s::Service>(errors, object);
  return errors;
}

}  // namespace troupe::apiserver
