#include "emulator/manifests/document_reader.h"

#include "emulator/manifests/message_reader.h"
#include "emulator/manifests/text_file.h"
#include "emulator/manifests/yaml_parser.h"

namespace troupe::manifests {

Diagnostics read_document(std::string_view text, const std::string& file,
                          google::protobuf::Message& into) {
  Diagnostics diagnostics;
  const YamlRef document = parse_document(text, file, diagnostics);
  if (!document) return diagnostics;
  Reporter reporter(file, diagnostics);
  MessageReader(reporter, {Strictness::Exact, false}).read(*document, into);
  return diagnostics;
}

Diagnostics read_tree(const YamlNode& node, const std::string& file,
                      google::protobuf::Message& into, std::string_view path) {
  Diagnostics diagnostics;
  Reporter reporter(file, diagnostics);
  MessageReader(reporter, {Strictness::Exact, false}).read(node, into, path);
  return diagnostics;
}

Diagnostics load_document(const std::string& file, google::protobuf::Message& into) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return {{file, 0, "", text.error().message}};
  return read_document(*text, file, into);
}

YamlRef parse_document(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  YamlFile parsed = parse_yaml(text, file);
  const bool valid = parsed.diagnostics.empty();
  diagnostics.insert(diagnostics.end(), parsed.diagnostics.begin(), parsed.diagnostics.end());
  if (valid && parsed.documents.empty()) {
    diagnostics.push_back({file, 0, "", "found nothing, expected a document: the file is empty"});
  }
  if (valid && parsed.documents.size() > 1) {
    diagnostics.push_back(
        {file, parsed.documents[1]->line, "", "found a second document, expected one"});
  }
  return parsed.documents.size() == 1 ? parsed.documents.front() : nullptr;
}

DocumentHeader header_of(const YamlNode& document) {
  const auto text = [&](std::string_view key) {
    const YamlNode* value = find(document, key);
    return value != nullptr && value->kind == YamlNode::Kind::Scalar ? value->text : std::string();
  };
  return {text("apiVersion"), text("kind")};
}

}  // namespace troupe::manifests
