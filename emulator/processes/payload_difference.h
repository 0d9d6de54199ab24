// Where two payloads differ, for people.
#pragma once

#include <string>

#include "messages/payload.h"

namespace troupe {

/// The first field that differs, with both values: "modified: spec.replicas: 3 -> 4"; empty if they
/// are the same.
[[nodiscard]] std::string first_difference(const Payload& written, const Payload& replayed);

}  // namespace troupe
