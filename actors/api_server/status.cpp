#include "actors/api_server/status.h"

#include <utility>

namespace troupe::apiserver {
namespace {

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

std::string_view group_of(const Kind& kind) {
  const std::string_view version = kind.versions.front();
  const auto slash = version.find('/');
  return slash == std::string_view::npos ? std::string_view{} : version.substr(0, slash);
}

std::string with_group(std::string_view name, const Kind& kind) {
  std::string result(name);
  if (const auto group = group_of(kind); !group.empty()) result.append(".").append(group);
  return result;
}

/// field.ErrorList's text: one error stands alone, several stand in brackets.
std::string joined(const FieldErrors& errors) {
  if (errors.size() == 1) return errors.front();
  std::string text = "[";
  for (const std::string& error : errors) {
    if (text.size() > 1) text += ", ";
    text += error;
  }
  return text + "]";
}

}  // namespace

std::string resource_of(const Kind& kind) {
  return with_group(kind.plural, kind);
}

Status bad_request(std::string message) {
  return {400, "BadRequest", std::move(message)};
}

Status forbidden(const Kind& kind, std::string_view name, std::string_view why) {
  return {403, "Forbidden",
          resource_of(kind) + " " + quoted(name) + " is forbidden: " + std::string(why)};
}

Status not_found(const Kind& kind, std::string_view name) {
  return {404, "NotFound", resource_of(kind) + " " + quoted(name) + " not found"};
}

Status already_exists(const Kind& kind, std::string_view name) {
  return {409, "AlreadyExists", resource_of(kind) + " " + quoted(name) + " already exists"};
}

Status conflict(std::string_view resource, std::string_view name, std::string_view why) {
  return {409, "Conflict",
          "Operation cannot be fulfilled on " + std::string(resource) + " " + quoted(name) + ": " +
              std::string(why)};
}

Status stale(const Kind& kind, std::string_view name) {
  return conflict(resource_of(kind), name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

Status wrong_uid(const Kind& kind, std::string_view name, std::string_view wanted,
                 std::string_view found) {
  return conflict(resource_of(kind), name,
                  "Precondition failed: UID in precondition: " + std::string(wanted) +
                      ", UID in object meta: " + std::string(found));
}

Status expired(std::int64_t wanted, std::int64_t oldest) {
  return {
      410, "Expired",
      "too old resource version: " + std::to_string(wanted) + " (" + std::to_string(oldest) + ")"};
}

Status invalid(const Kind& kind, std::string_view name, const FieldErrors& errors) {
  return {422, "Invalid",
          with_group(kind.name, kind) + " " + quoted(name) + " is invalid: " + joined(errors)};
}

Status too_many_requests(std::string message, std::int64_t retry_after_seconds) {
  return {429, "TooManyRequests", std::move(message), retry_after_seconds};
}

Status internal_error(std::string message) {
  return {500, "InternalError", std::move(message)};
}

Status version_too_large(std::int64_t wanted, std::int64_t current) {
  return {504, "Timeout",
          "Too large resource version: " + std::to_string(wanted) +
              ", current: " + std::to_string(current),
          1};
}

}  // namespace troupe::apiserver
