// A message as a JSON value, by its schema; what both writers start from.
#pragma once

#include <google/protobuf/message.h>
#include <nlohmann/json.hpp>

namespace troupe::manifests {

/// Keeps the order of the schema's fields.
using JsonTree = nlohmann::ordered_json;

[[nodiscard]] JsonTree json_tree(const google::protobuf::Message& message);

}  // namespace troupe::manifests
