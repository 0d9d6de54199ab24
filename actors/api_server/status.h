// The answers of an API server that are not an object: codes, reasons and texts as the real one
// words them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "messages/kinds.h"

namespace troupe::apiserver {

/// metav1.Status: 0 means that all is well.
struct Status {
  int code = 0;
  std::string reason;
  std::string message;
  std::int64_t retry_after_seconds = 0;

  explicit operator bool() const { return code != 0; }
};

/// One fault of an object: "spec.replicas: Invalid value: -1: must be greater than or equal to 0".
using FieldErrors = std::vector<std::string>;

/// "pods", "deployments.apps": how messages name a kind.
[[nodiscard]] std::string resource_of(const Kind& kind);

[[nodiscard]] Status bad_request(std::string message);
[[nodiscard]] Status forbidden(const Kind& kind, std::string_view name, std::string_view why);
[[nodiscard]] Status not_found(const Kind& kind, std::string_view name);
[[nodiscard]] Status already_exists(const Kind& kind, std::string_view name);
/// 409: "Operation cannot be fulfilled on pods "x": why". `resource` is that of the kind unless a
/// subresource conflicts.
[[nodiscard]] Status conflict(std::string_view resource, std::string_view name,
                              std::string_view why);
/// 409 because the version in the request is not the current one.
[[nodiscard]] Status stale(const Kind& kind, std::string_view name);
/// 409 because the object at that name is another one.
[[nodiscard]] Status wrong_uid(const Kind& kind, std::string_view name, std::string_view wanted,
                               std::string_view found);
[[nodiscard]] Status expired(std::int64_t wanted, std::int64_t oldest);
[[nodiscard]] Status invalid(const Kind& kind, std::string_view name, const FieldErrors& errors);
[[nodiscard]] Status too_many_requests(std::string message, std::int64_t retry_after_seconds);
[[nodiscard]] Status internal_error(std::string message);
/// 504: the cache has not reached the version asked for.
[[nodiscard]] Status version_too_large(std::int64_t wanted, std::int64_t current);

}  // namespace troupe::apiserver
