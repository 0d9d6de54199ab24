// Files of our own: one document, one message, and nothing that the schema does not name.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/message.h>

#include "emulator/manifests/diagnostic.h"
#include "emulator/manifests/yaml_node.h"

namespace troupe::manifests {

/// Reads the one document of `text` into `into`.
Diagnostics read_document(std::string_view text, const std::string& file,
                          google::protobuf::Message& into);
/// The same for a tree, which may be part of a larger document and have overlays on it; `path` is
/// its place there.
Diagnostics read_tree(const YamlNode& node, const std::string& file,
                      google::protobuf::Message& into, std::string_view path = {});
/// The same for a file.
Diagnostics load_document(const std::string& file, google::protobuf::Message& into);

/// The one document of a text, not yet read into anything; null, and a diagnostic, if there is not
/// exactly one.
YamlRef parse_document(std::string_view text, const std::string& file, Diagnostics& diagnostics);

/// What a document says it is, before it is read.
struct DocumentHeader {
  std::string api_version;
  std::string kind;
};
/// Empty strings where the document does not say.
[[nodiscard]] DocumentHeader header_of(const YamlNode& document);

}  // namespace troupe::manifests
