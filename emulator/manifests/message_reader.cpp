#include "emulator/manifests/message_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "emulator/manifests/raw_json.h"
#include "emulator/manifests/spelling.h"
#include "messages/k8s/container.pb.h"

namespace troupe::manifests {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// Lengthens a path for as long as it lives.
class PathStep {
 public:
  PathStep(std::string& path, std::string_view name) : path_(path), size_(path.size()) {
    if (!path.empty()) path += '.';
    path += name;
  }
  PathStep(std::string& path, std::size_t index) : path_(path), size_(path.size()) {
    path += "[" + std::to_string(index) + "]";
  }
  ~PathStep() { path_.resize(size_); }
  PathStep(const PathStep&) = delete;
  PathStep& operator=(const PathStep&) = delete;

 private:
  std::string& path_;
  std::size_t size_;
};

/// Written by the API server for itself, in every object that kubectl prints.
bool is_ignored(std::string_view key) {
  return key == "managedFields" || key == "selfLink";
}

bool is_empty(const YamlNode& node) {
  const bool holds_nothing = node.items.empty() && node.entries.empty();
  return node.kind == YamlNode::Kind::Null ||
         (node.kind != YamlNode::Kind::Scalar && holds_nothing);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Where shells read, a placeholder is meant.
bool is_for_a_shell(const FieldDescriptor& field) {
  return field.containing_type() == k8s::EnvVar::descriptor() || field.name() == "command" ||
         field.name() == "args" || field.name() == "user_data";
}

std::vector<const YamlEntry*> sorted_by_key(const std::vector<YamlEntry>& entries) {
  std::vector<const YamlEntry*> sorted;
  sorted.reserve(entries.size());
  for (const YamlEntry& entry : entries) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const YamlEntry* a, const YamlEntry* b) { return a->key < b->key; });
  return sorted;
}

}  // namespace

MessageReader::MessageReader(Reporter& reporter, Options options)
    : reporter_(reporter), options_(options) {}

void MessageReader::read(const YamlNode& node, Message& into, std::string_view path) {
  path_ = path;
  read_message(node, into);
  path_.clear();
}

void MessageReader::expect(const std::string& what, const YamlNode& node) {
  reporter_.report(node.line, path_, "expected " + what + ", found " + describe(node));
}

void MessageReader::read_message(const YamlNode& node, Message& into) {
  const MessageSchema& schema = schemas_.of(*into.GetDescriptor());
  if (node.kind != YamlNode::Kind::Map) return expect("a mapping", node);
  for (const YamlEntry& entry : node.entries) {
    const int index = schema.index_of(entry.key);
    const PathStep step(path_, entry.key);
    if (index < 0) {
      refuse_unknown(schema, entry, node);
      continue;
    }
    const FieldSchema& field = schema.fields[static_cast<std::size_t>(index)];
    if (entry.value->kind == YamlNode::Kind::Null) {
      if (options_.partial) cleared_.push_back(path_);
      continue;
    }
    check_oneof(field, entry.line, into);
    read_field(field, *entry.value, into);
  }
  if (!options_.partial) check_required(schema, node);
}

void MessageReader::check_required(const MessageSchema& schema, const YamlNode& node) {
  for (const FieldSchema& field : schema.fields) {
    if (!field.required) continue;
    const YamlNode* value = find(node, field.name);
    if (value != nullptr && value->kind != YamlNode::Kind::Null) continue;
    const PathStep step(path_, field.name);
    reporter_.report(node.line, path_, "is required and missing");
  }
}

void MessageReader::check_oneof(const FieldSchema& schema, int line, const Message& into) {
  const auto* oneof = schema.field->real_containing_oneof();
  if (oneof == nullptr || !into.GetReflection()->HasOneof(into, oneof)) return;
  const FieldDescriptor* other = into.GetReflection()->GetOneofFieldDescriptor(into, oneof);
  reporter_.report(line, path_,
                   "found beside " + other->json_name() + ", expected only one of them");
}

void MessageReader::read_field(const FieldSchema& schema, const YamlNode& node, Message& into) {
  if (schema.not_modelled && !is_empty(node))
    reporter_.warn_once(node.line, path_, "read, not modelled");
  if (schema.map) return read_map(schema, node, into);
  if (schema.field->is_repeated()) return read_list(schema, node, into);
  if (schema.format == RAW_JSON) {
    return into.GetReflection()->SetString(&into, schema.field, json_text(node));
  }
  if (schema.field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    return read_message(node, *into.GetReflection()->MutableMessage(&into, schema.field));
  }
  read_value(schema, node, into);
}

void MessageReader::read_map(const FieldSchema& schema, const YamlNode& node, Message& into) {
  if (node.kind != YamlNode::Kind::Map) return expect("a mapping", node);
  const Reflection& reflection = *into.GetReflection();
  const MessageSchema& entry_schema = schemas_.of(*schema.field->message_type());
  for (const YamlEntry* entry : sorted_by_key(node.entries)) {
    const PathStep step(path_, entry->key);
    const bool is_null = entry->value->kind == YamlNode::Kind::Null;
    if (is_null && options_.partial) {
      cleared_.push_back(path_);
      continue;
    }
    const FieldSchema& value = entry_schema.fields[1];
    if (is_null && value.format != PLAIN) {
      expect("a value", *entry->value);
      continue;
    }
    Message& added = *reflection.AddMessage(&into, schema.field);
    added.GetReflection()->SetString(&added, entry_schema.fields[0].field, entry->key);
    if (!is_null) read_field(value, *entry->value, added);
  }
}

void MessageReader::read_list(const FieldSchema& schema, const YamlNode& node, Message& into) {
  if (node.kind != YamlNode::Kind::List) return expect("a list", node);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const PathStep step(path_, i);
    const YamlNode& item = *node.items[i];
    if (schema.field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      read_message(item, *into.GetReflection()->AddMessage(&into, schema.field));
    } else if (schema.format == RAW_JSON) {
      into.GetReflection()->AddString(&into, schema.field, json_text(item));
    } else {
      read_value(schema, item, into);
    }
  }
}

void MessageReader::read_value(const FieldSchema& schema, const YamlNode& node, Message& into) {
  if (node.kind != YamlNode::Kind::Scalar) return expect("a single value", node);
  if (auto problem = read_scalar(schema, node, options_.strictness, into)) {
    return reporter_.report(node.line, path_, std::move(*problem));
  }
  warn_of_placeholder(schema, node);
}

void MessageReader::warn_of_placeholder(const FieldSchema& schema, const YamlNode& node) {
  if (options_.strictness != Strictness::Manifest || is_for_a_shell(*schema.field) ||
      !has_placeholder(node))
    return;
  reporter_.report(
      node.line, path_,
      "found " + describe(node) + ", a placeholder that was not substituted; taken as it stands",
      Severity::Warning);
}

void MessageReader::refuse_unknown(const MessageSchema& schema, const YamlEntry& entry,
                                   const YamlNode& node) {
  constexpr std::size_t kFewNames = 12;
  if (options_.strictness == Strictness::Manifest) {
    if (is_ignored(entry.key)) return;
    const std::string meant = near_miss(entry.key, schema.names);
    // A name beside the one that it resembles is no slip but a field of its own.
    if (meant.empty() || find(node, meant) != nullptr)
      return reporter_.warn_once(entry.line, path_, "read, not modelled");
    return reporter_.report(entry.line, path_, "unknown field, did you mean \"" + meant + "\"?");
  }
  const std::string meant = nearest(entry.key, schema.names);
  std::string message = "unknown key";
  if (!meant.empty()) {
    message += ", did you mean \"" + meant + "\"?";
  } else if (schema.names.size() <= kFewNames) {
    message += ", expected one of " + joined(schema.names);
  }
  reporter_.report(entry.line, path_, std::move(message));
}

}  // namespace troupe::manifests
