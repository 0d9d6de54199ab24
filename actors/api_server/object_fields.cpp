#include "actors/api_server/object_fields.h"

#include <map>

#include "messages/assert.h"
#include "messages/same_message.h"

namespace troupe::apiserver {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

// The convention of messages/k8s/meta.proto.
constexpr int kSpec = 4;
constexpr int kStatus = 5;

const FieldDescriptor* named_field(const Descriptor& type, int number, std::string_view name) {
  const FieldDescriptor* field = type.FindFieldByNumber(number);
  return field != nullptr && field->name() == name ? field : nullptr;
}

const FieldDescriptor* json_field(const Descriptor& type, std::string_view json_name) {
  for (int i = 0; i < type.field_count(); ++i) {
    if (type.field(i)->json_name() == json_name) return type.field(i);
  }
  return nullptr;
}

std::map<const Descriptor*, KindFields> all_fields() {
  std::map<const Descriptor*, KindFields> result;
  for (const Kind& kind : all_kinds()) {
    const Descriptor& type = *kind.prototype->GetDescriptor();
    KindFields fields{&kind, named_field(type, kSpec, "spec"), named_field(type, kStatus, "status"),
                      nullptr};
    const bool has_spec =
        fields.spec != nullptr && fields.spec->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (has_spec) fields.spec_replicas = fields.spec->message_type()->FindFieldByName("replicas");
    result.emplace(&type, fields);
  }
  return result;
}

std::string scalar_text(const Message& owner, const FieldDescriptor& field) {
  const Reflection& reflection = *owner.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.GetString(owner, &field);
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(owner, &field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(reflection.GetInt32(owner, &field));
    case FieldDescriptor::CPPTYPE_INT64:
      return std::to_string(reflection.GetInt64(owner, &field));
    default:
      return {};
  }
}

}  // namespace

const KindFields& fields_of(const Message& object) {
  // Looked up by identity, never walked: the order of addresses decides nothing.
  static const std::map<const Descriptor*, KindFields> table = all_fields();
  const auto found = table.find(object.GetDescriptor());
  TROUPE_ASSERT(found != table.end(), "not an API object: " + object.GetTypeName());
  return found->second;
}

std::unique_ptr<Message> copy_of(const Message& object) {
  std::unique_ptr<Message> copy(object.New());
  copy->CopyFrom(object);
  return copy;
}

bool same_field(const Message& a, const Message& b, const FieldDescriptor* field) {
  if (field == nullptr) return true;
  const Reflection& reflection = *a.GetReflection();
  const bool present = reflection.HasField(a, field);
  if (present != reflection.HasField(b, field)) return false;
  if (!present) return true;
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    return scalar_text(a, *field) == scalar_text(b, *field);
  }
  return same_message(reflection.GetMessage(a, field), reflection.GetMessage(b, field));
}

void take_status(Message& target, const Message& source) {
  const FieldDescriptor* field = fields_of(target).status;
  if (field == nullptr) return;
  const Reflection& reflection = *target.GetReflection();
  reflection.ClearField(&target, field);
  if (!reflection.HasField(source, field)) return;
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    reflection.MutableMessage(&target, field)->CopyFrom(reflection.GetMessage(source, field));
  } else {
    reflection.SetString(&target, field, reflection.GetString(source, field));
  }
}

void clear_status(Message& object) {
  const FieldDescriptor* field = fields_of(object).status;
  if (field != nullptr) object.GetReflection()->ClearField(&object, field);
}

std::shared_ptr<const FieldPath> FieldPath::compile(const Kind& kind, std::string_view path) {
  auto compiled = std::make_shared<FieldPath>();
  const Descriptor* type = kind.prototype->GetDescriptor();
  while (type != nullptr) {
    const auto dot = path.find('.');
    const FieldDescriptor* field = json_field(*type, path.substr(0, dot));
    if (field == nullptr || field->is_repeated()) return nullptr;
    compiled->steps_.push_back(field);
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (dot == std::string_view::npos) return is_message ? nullptr : compiled;
    path.remove_prefix(dot + 1);
    type = is_message ? field->message_type() : nullptr;
  }
  return nullptr;
}

std::string FieldPath::value(const Message& object) const {
  const Message* owner = &object;
  for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
    const Reflection& reflection = *owner->GetReflection();
    if (!reflection.HasField(*owner, steps_[i])) return {};
    owner = &reflection.GetMessage(*owner, steps_[i]);
  }
  return scalar_text(*owner, *steps_.back());
}

}  // namespace troupe::apiserver
