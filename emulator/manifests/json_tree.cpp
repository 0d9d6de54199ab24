#include "emulator/manifests/json_tree.h"

#include <cmath>
#include <string>
#include <vector>

#include "emulator/manifests/schema.h"
#include "messages/int_or_string.h"
#include "messages/timestamp.h"
#include "messages/units.h"

namespace troupe::manifests {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// Builds the tree of one message; keeps the schemas that it has looked up.
class TreeWriter {
 public:
  JsonTree message(const Message& message) {
    JsonTree tree = JsonTree::object();
    const Reflection& reflection = *message.GetReflection();
    for (const FieldSchema& schema : schemas_.of(*message.GetDescriptor()).fields) {
      const FieldDescriptor* field = schema.field;
      const bool set = field->is_repeated() ? reflection.FieldSize(message, field) > 0
                                            : reflection.HasField(message, field);
      if (set) tree[schema.name] = value(schema, message);
    }
    return tree;
  }

 private:
  JsonTree value(const FieldSchema& schema, const Message& owner) {
    if (schema.map) return map(schema, owner);
    if (!schema.field->is_repeated()) return element(schema, owner, -1);
    JsonTree list = JsonTree::array();
    for (int i = 0; i < owner.GetReflection()->FieldSize(owner, schema.field); ++i) {
      list.push_back(element(schema, owner, i));
    }
    return list;
  }

  JsonTree map(const FieldSchema& schema, const Message& owner) {
    JsonTree tree = JsonTree::object();
    const Reflection& reflection = *owner.GetReflection();
    const MessageSchema& entry_schema = schemas_.of(*schema.field->message_type());
    for (int i = 0; i < reflection.FieldSize(owner, schema.field); ++i) {
      const Message& entry = reflection.GetRepeatedMessage(owner, schema.field, i);
      const std::string key = entry.GetReflection()->GetString(entry, entry_schema.fields[0].field);
      tree[key] = value(entry_schema.fields[1], entry);
    }
    return tree;
  }

  /// The field, or its element `index` where it is repeated.
  JsonTree element(const FieldSchema& schema, const Message& owner, int index) {
    const Reflection& r = *owner.GetReflection();
    const FieldDescriptor* f = schema.field;
    const bool one = index < 0;
    switch (f->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return message(one ? r.GetMessage(owner, f) : r.GetRepeatedMessage(owner, f, index));
      case FieldDescriptor::CPPTYPE_STRING:
        return text(schema, one ? r.GetString(owner, f) : r.GetRepeatedString(owner, f, index));
      case FieldDescriptor::CPPTYPE_BOOL:
        return one ? r.GetBool(owner, f) : r.GetRepeatedBool(owner, f, index);
      case FieldDescriptor::CPPTYPE_ENUM:
        return enum_name(*(one ? r.GetEnum(owner, f) : r.GetRepeatedEnum(owner, f, index)));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return real(schema, one ? r.GetDouble(owner, f) : r.GetRepeatedDouble(owner, f, index));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return real(schema, one ? r.GetFloat(owner, f) : r.GetRepeatedFloat(owner, f, index));
      case FieldDescriptor::CPPTYPE_INT32:
        return integer(schema, one ? r.GetInt32(owner, f) : r.GetRepeatedInt32(owner, f, index));
      case FieldDescriptor::CPPTYPE_UINT32:
        return integer(schema, one ? r.GetUInt32(owner, f) : r.GetRepeatedUInt32(owner, f, index));
      case FieldDescriptor::CPPTYPE_INT64:
        return integer(schema, one ? r.GetInt64(owner, f) : r.GetRepeatedInt64(owner, f, index));
      case FieldDescriptor::CPPTYPE_UINT64:
        break;
    }
    return one ? r.GetUInt64(owner, f) : r.GetRepeatedUInt64(owner, f, index);
  }

  static JsonTree text(const FieldSchema& schema, const std::string& value) {
    if (schema.format == RAW_JSON) {
      JsonTree parsed = JsonTree::parse(value, nullptr, /*allow_exceptions=*/false);
      return parsed.is_discarded() ? JsonTree(value) : parsed;
    }
    if (schema.format == INT_OR_STRING || schema.format == PORT) {
      const Result<IntOrPercent> number = IntOrPercent::parse(value);
      if (number && !number->percent) return number->value;
    }
    return value;
  }

  static JsonTree integer(const FieldSchema& schema, std::int64_t value) {
    constexpr double kMicro = 1e6;
    switch (schema.format) {
      case DURATION:
        return print_duration(Duration{value});
      case TIMESTAMP:
        return print_timestamp(from_ns(value));
      case BANDWIDTH:
        return print_bandwidth(value);
      case BYTES:
        return print_bytes(value);
      case RATE:
        return print_rate(static_cast<double>(value) / kMicro);
      case PERCENT:
        return std::to_string(value) + "%";
      default:
        return value;
    }
  }

  static JsonTree real(const FieldSchema& schema, double value) {
    constexpr double kExactIntegers = 9e15;
    if (schema.format == RATE) return print_rate(value);
    if (schema.format == PERCENT) return print_percent(value);
    const bool whole = std::trunc(value) == value && std::fabs(value) < kExactIntegers;
    return whole ? JsonTree(static_cast<std::int64_t>(value)) : JsonTree(value);
  }

  SchemaCache schemas_;
};

}  // namespace

JsonTree json_tree(const Message& message) {
  return TreeWriter().message(message);
}

}  // namespace troupe::manifests
