#include "actors/api_server/validation_meta.h"

#include <algorithm>

#include "actors/api_server/validation.h"
#include "messages/dns_names.h"

namespace troupe::apiserver {
namespace {

constexpr std::string_view kSubdomainDetail =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kServiceDetail =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
    "validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";

void validate_name(FieldErrors& errors, const Kind& kind, const std::string& name) {
  if (name.empty()) {
    errors.push_back(required_value("metadata.name", "name or generateName is required"));
  } else if (kind.name == "Service") {
    const bool fits = is_dns_label(name) && name.front() >= 'a' && name.front() <= 'z';
    if (!fits) errors.push_back(invalid_value("metadata.name", name, kServiceDetail));
  } else if (!is_dns_subdomain(name)) {
    errors.push_back(invalid_value("metadata.name", name, kSubdomainDetail));
  }
}

void validate_owners(FieldErrors& errors, const k8s::ObjectMeta& meta) {
  const k8s::OwnerReference* controller = nullptr;
  for (const k8s::OwnerReference& owner : meta.owner_references()) {
    if (owner.uid().empty())
      errors.push_back(invalid_value("metadata.ownerReferences.uid", "", "must not be empty"));
    if (!owner.controller()) continue;
    if (controller != nullptr) {
      errors.push_back(invalid_value(
          "metadata.ownerReferences", owner.name(),
          "Only one reference can have Controller set to true. Found \"true\" in references for " +
              controller->name() + " and " + owner.name()));
    }
    controller = &owner;
  }
}

}  // namespace

void validate_meta(FieldErrors& errors, const Kind& kind, const k8s::ObjectMeta& meta) {
  validate_name(errors, kind, meta.name());
  if (kind.namespaced && !is_dns_label(meta.namespace_())) {
    errors.push_back(invalid_value("metadata.namespace", meta.namespace_(), "must be a DNS label"));
  }
  validate_owners(errors, meta);
}

void validate_meta_update(FieldErrors& errors, const k8s::ObjectMeta& after,
                          const k8s::ObjectMeta& before) {
  if (!before.has_deletion_timestamp()) return;
  std::string added;
  for (const std::string& finalizer : after.finalizers()) {
    const auto& known = before.finalizers();
    if (std::find(known.begin(), known.end(), finalizer) != known.end()) continue;
    added += (added.empty() ? "\"" : ", \"") + finalizer + "\"";
  }
  if (added.empty()) return;
  errors.push_back(forbidden_change("metadata.finalizers",
                                    "no new finalizers can be added if the object is being "
                                    "deleted, found new finalizers []string{" +
                                        added + "}"));
}

}  // namespace troupe::apiserver
