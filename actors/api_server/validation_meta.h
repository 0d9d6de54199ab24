// The rules for the metadata of every object.
#pragma once

#include <string_view>

#include "actors/api_server/status.h"
#include "messages/k8s/meta.pb.h"

namespace troupe::apiserver {

[[nodiscard]] bool is_dns_label(std::string_view text);      ///< RFC 1123, up to 63 characters
[[nodiscard]] bool is_dns_subdomain(std::string_view text);  ///< RFC 1123, up to 253 characters

void validate_meta(FieldErrors& errors, const Kind& kind, const k8s::ObjectMeta& meta);
void validate_meta_update(FieldErrors& errors, const k8s::ObjectMeta& after,
                          const k8s::ObjectMeta& before);

}  // namespace troupe::apiserver
