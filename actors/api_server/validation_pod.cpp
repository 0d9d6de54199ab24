#include "actors/api_server/validation_pod.h"

#include <algorithm>
#include <set>

#include "actors/api_server/object_fields.h"
#include "actors/api_server/validation.h"
#include "actors/api_server/validation_meta.h"
#include "messages/dns_names.h"
#include "messages/labels.h"
#include "messages/same_message.h"

namespace troupe::apiserver {
namespace {

/// Resources of other groups than Kubernetes' own are counted in whole devices and cannot be
/// overcommitted.
bool is_extended(std::string_view resource) {
  return resource.find('/') != std::string_view::npos &&
         resource.find("kubernetes.io/") == std::string_view::npos;
}

void validate_amounts(FieldErrors& errors, const std::string& field, const ResourceMap& amounts) {
  for (const k8s::ResourceAmount& amount : amounts) {
    const std::string at = field + "[" + amount.name() + "]";
    const auto quantity = Quantity::parse(amount.quantity());
    if (!quantity) {
      errors.push_back(invalid_value(at, amount.quantity(), quantity.error().message));
    } else if (*quantity < Quantity{}) {
      errors.push_back(invalid_value(at, amount.quantity(), "must be greater than or equal to 0"));
    } else if (is_extended(amount.name()) && quantity->to_milli() % 1000 != 0) {
      errors.push_back(invalid_value(at, amount.quantity(), "must be an integer"));
    }
  }
}

const std::string* text_of(const ResourceMap& amounts, std::string_view name) {
  for (const k8s::ResourceAmount& amount : amounts) {
    if (amount.name() == name) return &amount.quantity();
  }
  return nullptr;
}

void validate_resources(FieldErrors& errors, const std::string& field,
                        const k8s::ResourceRequirements& resources) {
  validate_amounts(errors, field + ".limits", resources.limits());
  validate_amounts(errors, field + ".requests", resources.requests());
  for (const k8s::ResourceAmount& request : resources.requests()) {
    const std::string* limit = text_of(resources.limits(), request.name());
    if (limit == nullptr) {
      if (is_extended(request.name())) {
        errors.push_back(required_value(field + ".limits",
                                        "Limit must be set for non overcommitable resources"));
      }
      continue;
    }
    const Quantity wanted = amount_of(resources.requests(), request.name());
    const Quantity most = amount_of(resources.limits(), request.name());
    if (is_extended(request.name()) && wanted != most) {
      errors.push_back(invalid_value(field + ".requests", request.quantity(),
                                     "must be equal to " + request.name() + " limit of " + *limit));
    } else if (wanted > most) {
      errors.push_back(
          invalid_value(field + ".requests", request.quantity(),
                        "must be less than or equal to " + request.name() + " limit of " + *limit));
    }
  }
}

void validate_containers(FieldErrors& errors, const std::string& field,
                         const google::protobuf::RepeatedPtrField<k8s::Container>& containers,
                         std::set<std::string>& names) {
  int index = 0;
  for (const k8s::Container& container : containers) {
    const std::string at = field + "[" + std::to_string(index++) + "]";
    if (container.name().empty()) {
      errors.push_back(required_value(at + ".name"));
    } else if (!is_dns_label(container.name())) {
      errors.push_back(
          invalid_value(at + ".name", container.name(), "must be a lowercase RFC 1123 label"));
    } else if (!names.insert(container.name()).second) {
      errors.push_back(at + ".name: Duplicate value: \"" + container.name() + "\"");
    }
    validate_resources(errors, at + ".resources", container.resources());
  }
}

/// What is left of a pod's spec without the fields that may change. While a pod is gated, that is
/// also where it may run.
k8s::PodSpec fixed_part(k8s::PodSpec spec, bool gated) {
  for (k8s::Container& container : *spec.mutable_containers()) container.clear_image();
  for (k8s::Container& container : *spec.mutable_init_containers()) container.clear_image();
  spec.clear_active_deadline_seconds();
  spec.clear_tolerations();
  spec.clear_scheduling_gates();
  if (gated) {
    spec.clear_node_selector();
    spec.clear_affinity();
  }
  return spec;
}

bool keeps_tolerations(const k8s::PodSpec& after, const k8s::PodSpec& before) {
  return std::all_of(
      before.tolerations().begin(), before.tolerations().end(), [&](const k8s::Toleration& old) {
        return std::any_of(after.tolerations().begin(), after.tolerations().end(),
                           [&](const k8s::Toleration& now) { return same_message(old, now); });
      });
}

bool adds_gate(const k8s::PodSpec& after, const k8s::PodSpec& before) {
  return std::any_of(
      after.scheduling_gates().begin(), after.scheduling_gates().end(), [&](const auto& gate) {
        return std::none_of(before.scheduling_gates().begin(), before.scheduling_gates().end(),
                            [&](const auto& old) { return old.name() == gate.name(); });
      });
}

}  // namespace

void validate_pod_spec(FieldErrors& errors, const std::string& field, const k8s::PodSpec& spec) {
  if (spec.containers().empty()) errors.push_back(required_value(field + ".containers"));
  std::set<std::string> names;
  validate_containers(errors, field + ".initContainers", spec.init_containers(), names);
  validate_containers(errors, field + ".containers", spec.containers(), names);
  check_not_negative(errors, field + ".terminationGracePeriodSeconds",
                     spec.termination_grace_period_seconds());
}

void validate_pod_update(FieldErrors& errors, const k8s::Pod& after, const k8s::Pod& before) {
  if (same_message(after.spec(), before.spec())) return;
  if (adds_gate(after.spec(), before.spec())) {
    errors.push_back(forbidden_change("spec.schedulingGates",
                                      "only deletion is allowed, but found new scheduling gate"));
  }
  const bool gated = !before.spec().scheduling_gates().empty();
  const bool allowed =
      keeps_tolerations(after.spec(), before.spec()) &&
      same_message(fixed_part(after.spec(), gated), fixed_part(before.spec(), gated));
  if (allowed) return;
  errors.push_back(forbidden_change(
      "spec",
      "pod updates may not change fields other than "
      "`spec.containers[*].image`,`spec.initContainers[*].image`,"
      "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
      "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously "
      "negative)"));
}

}  // namespace troupe::apiserver
