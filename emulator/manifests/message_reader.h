// A YAML tree into a protobuf message, guided by nothing but the message's schema.
//
// One reader reads every kind of file: manifests, scenarios, topologies, conformance cases. It
// never stops at the first mistake: a user who fixes one wants to know the others. A reader is for
// one file, so that a field that ten thousand pods carry and nobody models is named once, with a
// count, and not ten thousand times.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "emulator/manifests/diagnostic.h"
#include "emulator/manifests/scalar_reader.h"
#include "emulator/manifests/schema.h"
#include "emulator/manifests/yaml_node.h"

namespace troupe::manifests {

/// Nobody reads more of one file.
inline constexpr int kMaxDiagnostics = 200;

class MessageReader {
 public:
  struct Options {
    Strictness strictness = Strictness::Exact;
    /// The tree is a patch: nothing is required, and a null is remembered as a path to clear.
    bool partial = false;
  };

  MessageReader(std::string file, Options options, Diagnostics& diagnostics);

  /// Reads a mapping into `into`. `path` names the place in diagnostics; empty for a whole
  /// document.
  void read(const YamlNode& node, google::protobuf::Message& into, std::string_view path = {});

  /// The nulls of the partial trees read so far, in the form that clear_path takes.
  [[nodiscard]] const std::vector<std::string>& cleared() const { return cleared_; }

  /// Adds a diagnostic of this file; beyond kMaxDiagnostics they are only counted.
  void report(int line, std::string path, std::string message, Severity severity = Severity::Error);
  /// A warning that names its place once for the whole file and counts the rest.
  void warn_once(int line, const std::string& path, const std::string& message);

 private:
  struct Repeats {
    std::size_t diagnostic;  ///< index of the first one
    std::string message;
    int more = 0;
  };

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

  std::string file_;
  Options options_;
  Diagnostics& diagnostics_;
  SchemaCache schemas_;
  std::string path_;
  std::vector<std::string> cleared_;
  int reported_ = 0;
  std::map<std::string, Repeats> repeats_;  ///< by path without indices, and message
};

}  // namespace troupe::manifests
