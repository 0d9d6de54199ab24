#include "emulator/manifests/schema.h"

#include <algorithm>

namespace troupe::manifests {
namespace {

std::vector<std::string> split(const std::string& alternatives) {
  std::vector<std::string> parts(1);
  for (const char c : alternatives) {
    if (c == '|') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

FieldSchema schema_of(const google::protobuf::FieldDescriptor& field) {
  const google::protobuf::FieldOptions& options = field.options();
  FieldSchema schema;
  schema.field = &field;
  schema.name = field.json_name();
  schema.format = options.GetExtension(troupe::format);
  schema.map = options.GetExtension(troupe::map);
  schema.required = options.GetExtension(troupe::required);
  schema.not_modelled = options.GetExtension(troupe::not_modelled);
  if (options.HasExtension(troupe::one_of))
    schema.one_of = split(options.GetExtension(troupe::one_of));
  if (options.HasExtension(troupe::minimum)) schema.minimum = options.GetExtension(troupe::minimum);
  return schema;
}

std::string enum_name(const google::protobuf::EnumValueDescriptor& value) {
  std::string name = value.name();
  for (char& c : name) {
    if (c == '_') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

int MessageSchema::index_of(std::string_view name) const {
  const auto at = std::find(names.begin(), names.end(), name);
  return at != names.end() ? static_cast<int>(at - names.begin()) : -1;
}

const MessageSchema& SchemaCache::of(const google::protobuf::Descriptor& type) {
  std::unique_ptr<MessageSchema>& schema = schemas_[&type];
  if (schema) return *schema;
  schema = std::make_unique<MessageSchema>();
  for (int i = 0; i < type.field_count(); ++i) {
    schema->fields.push_back(schema_of(*type.field(i)));
    schema->names.push_back(schema->fields.back().name);
  }
  return *schema;
}

}  // namespace troupe::manifests
