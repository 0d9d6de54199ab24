// A YAML tree into a protobuf message, guided by nothing but the message's schema.
//
// One reader reads every kind of file: manifests, scenarios, topologies, conformance cases. It goes
// on after a mistake.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "emulator/manifests/reporter.h"
#include "emulator/manifests/scalar_reader.h"
#include "emulator/manifests/schema.h"
#include "emulator/manifests/yaml_node.h"

namespace troupe::manifests {

class MessageReader {
 public:
  struct Options {
    Strictness strictness = Strictness::Exact;
    /// The tree is a patch: nothing is required, and a null is remembered as a path to clear.
    bool partial = false;
  };

  MessageReader(Reporter& reporter, Options options);

  /// Reads a mapping into `into`. `path` names the place in diagnostics; empty for a whole
  /// document.
  void read(const YamlNode& node, google::protobuf::Message& into, std::string_view path = {});

  /// The nulls of the partial trees read so far, in the form that clear_path takes.
  [[nodiscard]] const std::vector<std::string>& cleared() const { return cleared_; }

 private:
  void read_message(const YamlNode& node, google::protobuf::Message& into);
  void read_field(const FieldSchema& schema, const YamlNode& node, google::protobuf::Message& into);
  void read_map(const FieldSchema& schema, const YamlNode& node, google::protobuf::Message& into);
  void read_list(const FieldSchema& schema, const YamlNode& node, google::protobuf::Message& into);
  void read_value(const FieldSchema& schema, const YamlNode& node, google::protobuf::Message& into);
  void check_required(const MessageSchema& schema, const YamlNode& node);
  void check_oneof(const FieldSchema& schema, int line, const google::protobuf::Message& into);
  void refuse_unknown(const MessageSchema& schema, const YamlEntry& entry, const YamlNode& node);
  void warn_of_placeholder(const FieldSchema& schema, const YamlNode& node);
  void expect(const std::string& what, const YamlNode& node);

  Reporter& reporter_;
  Options options_;
  SchemaCache schemas_;
  std::string path_;
  std::vector<std::string> cleared_;
};

}  // namespace troupe::manifests
