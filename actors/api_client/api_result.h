// What an API server answered, or that it did not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "messages/payload.h"

namespace troupe {

/// The end of one API request.
struct ApiResult {
  int code =
      0;  ///< the HTTP status; 504 for a request that got no reply, 503 for a refused connection
  std::string reason;            ///< "Conflict", "NotFound", ...; empty where all is well
  std::string message;           ///< for people, worded as the real API server words it
  std::string resource_version;  ///< of the object, or of the list
  std::int64_t retry_after_seconds = 0;
  std::vector<Payload>
      items;  ///< the object of a single-object request, or a list in order of its keys

  [[nodiscard]] bool ok() const { return code >= 200 && code < 300; }
  [[nodiscard]] bool conflict() const { return code == 409 && reason == "Conflict"; }
  [[nodiscard]] bool already_exists() const { return code == 409 && reason == "AlreadyExists"; }
  [[nodiscard]] bool not_found() const { return code == 404; }
  /// 429: an eviction that a budget forbids, or a client whose queue is full.
  [[nodiscard]] bool too_many_requests() const { return code == 429; }
  /// No reply came. The request may have been applied all the same.
  [[nodiscard]] bool timed_out() const { return code == 504; }
  /// The resourceVersion is compacted: list again.
  [[nodiscard]] bool expired() const { return code == 410; }

  /// The object of a single-object request; empty if there is none.
  [[nodiscard]] Payload object() const { return items.empty() ? Payload{} : items.front(); }
  /// The object as a T, or null.
  template <class T>
  [[nodiscard]] std::shared_ptr<const T> as() const {
    return items.empty() ? nullptr : items.front().share<T>();
  }
};

}  // namespace troupe
