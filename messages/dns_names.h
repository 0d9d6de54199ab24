// The two forms of a name that Kubernetes takes from DNS: names of objects, namespaces, containers.
#pragma once

#include <string_view>

namespace troupe {

[[nodiscard]] bool is_dns_label(std::string_view text);      ///< RFC 1123, up to 63 characters
[[nodiscard]] bool is_dns_subdomain(std::string_view text);  ///< RFC 1123, up to 253 characters

}  // namespace troupe
