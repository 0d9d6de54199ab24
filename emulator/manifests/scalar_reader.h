// One scalar of a file into one field, obeying the field's type, format and limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <google/protobuf/message.h>

#include "emulator/manifests/schema.h"
#include "emulator/manifests/yaml_node.h"

namespace troupe::manifests {

/// Whose file it is.
enum class Strictness : std::uint8_t {
  /// A Kubernetes manifest: unknown fields are warnings unless they are near misses; types as
  /// kubectl has them.
  Manifest,
  /// A file of our own: whatever is unknown is an error; a text may be written as a number.
  Exact,
};

/// Sets the field, or adds to it where it is repeated. Returns what was expected and found instead,
/// if anything is wrong.
///
/// What a format makes of a number: DURATION and TIMESTAMP are nanoseconds, BANDWIDTH bits a
/// second, BYTES bytes, RATE events a second in a double and millionths of that in an integer,
/// PERCENT a share in a double and whole percents in an integer. A text keeps what was written,
/// once it was found to be well-formed.
std::optional<std::string> read_scalar(const FieldSchema& schema, const YamlNode& node,
                                       Strictness strictness, google::protobuf::Message& into);

/// True of a scalar that holds a placeholder which a shell should have replaced: "${VAR}",
/// "<NAME>".
[[nodiscard]] bool has_placeholder(const YamlNode& scalar);

}  // namespace troupe::manifests
