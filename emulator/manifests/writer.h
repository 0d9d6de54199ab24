// Objects back into text, in the form in which a reader finds them again: YAML for people and
// kubectl, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include <google/protobuf/message.h>

namespace troupe::manifests {

/// What is set in the message, fields in the order of their numbers, maps sorted; block style, two
/// spaces.
[[nodiscard]] std::string to_yaml(const google::protobuf::Message& message);
/// The same as JSON; `indent` below zero writes it on one line.
[[nodiscard]] std::string to_json(const google::protobuf::Message& message, int indent = 2);

/// Several objects as one text, each a document of its own.
[[nodiscard]] std::string to_yaml(const std::vector<const google::protobuf::Message*>& messages);

}  // namespace troupe::manifests
