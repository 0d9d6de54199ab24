#include "emulator/manifests/scalar_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "emulator/manifests/integer.h"
#include "messages/int_or_string.h"
#include "messages/quantity.h"
#include "messages/timestamp.h"
#include "messages/units.h"

namespace troupe::manifests {
namespace {

using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

using Problem = std::optional<std::string>;

/// Where a value goes: a field of a message, set or added to.
struct Slot {
  const FieldSchema& schema;
  Message& into;

  void put(std::string value) const {
    const auto& reflection = *into.GetReflection();
    if (schema.field->is_repeated())
      return reflection.AddString(&into, schema.field, std::move(value));
    reflection.SetString(&into, schema.field, std::move(value));
  }
  void put(bool value) const {
    const auto& reflection = *into.GetReflection();
    if (schema.field->is_repeated()) return reflection.AddBool(&into, schema.field, value);
    reflection.SetBool(&into, schema.field, value);
  }
  void put(const EnumValueDescriptor* value) const {
    const auto& reflection = *into.GetReflection();
    if (schema.field->is_repeated()) return reflection.AddEnum(&into, schema.field, value);
    reflection.SetEnum(&into, schema.field, value);
  }
};

std::string expected(const std::string& what, const YamlNode& node) {
  return "expected " + what + ", found " + describe(node) +
         (has_placeholder(node) ? ", a placeholder that was not substituted" : "");
}

std::string alternatives(const std::vector<std::string>& one_of) {
  std::string text;
  for (const std::string& alternative : one_of) {
    if (!alternative.empty()) text += (text.empty() ? "" : ", ") + alternative;
  }
  return one_of.size() > 1 ? "one of " + text : text;
}

bool is_number(const YamlNode& node) {
  const ScalarType type = scalar_type(node);
  return type == ScalarType::Integer || type == ScalarType::Float;
}

/// The problem of a Result, if it has one.
template <class T>
Problem problem_of(const Result<T>& result) {
  return result ? Problem{} : Problem{result.error().message};
}

Problem check_port(const std::string& text) {
  const bool valid =
      !text.empty() &&
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  return valid ? Problem{}
               : Problem{"\"" + text + "\" is not a port: expected a number or the name of a port"};
}

/// Whether a text is well-formed in the field's format.
Problem check_format(Format format, const std::string& text) {
  switch (format) {
    case QUANTITY:
      return problem_of(Quantity::parse(text));
    case DURATION:
      return problem_of(parse_duration(text));
    case INT_OR_STRING:
      return problem_of(IntOrPercent::parse(text));
    case TIMESTAMP:
      return problem_of(parse_timestamp(text));
    case BANDWIDTH:
      return problem_of(parse_bandwidth(text));
    case BYTES:
      return problem_of(parse_bytes(text));
    case RATE:
      return problem_of(parse_rate(text));
    case PERCENT:
      return problem_of(parse_percent(text));
    case PORT:
      return check_port(text);
    default:
      return std::nullopt;
  }
}

/// True where a text may be written as a number without quotes.
bool admits_number(Format format) {
  return format == QUANTITY || format == INT_OR_STRING || format == PORT || format == DURATION;
}

Problem read_text(const Slot& slot, const YamlNode& node, Strictness strictness) {
  const FieldSchema& schema = slot.schema;
  const ScalarType type = scalar_type(node);
  const bool strict = strictness == Strictness::Manifest;
  if (strict && type != ScalarType::Text && !(is_number(node) && admits_number(schema.format))) {
    return expected("a text", node) + ": write it in quotes";
  }
  const bool listed =
      std::find(schema.one_of.begin(), schema.one_of.end(), node.text) != schema.one_of.end();
  if (!listed && !schema.one_of.empty() && schema.format == PLAIN)
    return expected(alternatives(schema.one_of), node);
  if (!listed) {
    if (Problem problem = check_format(schema.format, node.text)) {
      return *problem + (schema.one_of.empty() ? "" : " or " + alternatives(schema.one_of));
    }
  }
  slot.put(node.text);
  return std::nullopt;
}

/// A number in a format with a unit, as the integer that the field holds.
Result<std::int64_t> integer_with_unit(Format format, const std::string& text) {
  switch (format) {
    case DURATION:
      return parse_duration(text).map([](Duration duration) { return duration.count(); });
    case TIMESTAMP:
      return parse_timestamp(text).map([](SimTime time) { return to_ns(time); });
    case BANDWIDTH:
      return parse_bandwidth(text);
    case BYTES:
      return parse_bytes(text);
    default:
      break;
  }
  const bool is_rate = format == RATE;
  const Result<double> value = is_rate ? parse_rate(text) : parse_percent(text);
  if (!value) return tl::unexpected<Error>(value.error());
  const double scaled = std::round(*value * (is_rate ? 1e6 : 100.0));
  constexpr double kLimit = 9e18;
  if (scaled > kLimit) return fail("\"" + text + "\" is too large");
  return static_cast<std::int64_t>(scaled);
}

bool has_unit(Format format) {
  return format == DURATION || format == TIMESTAMP || format == BANDWIDTH || format == BYTES ||
         format == RATE || format == PERCENT;
}

Problem below_minimum(const FieldSchema& schema, double value, const YamlNode& node) {
  if (!schema.minimum || value >= *schema.minimum) return std::nullopt;
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *schema.minimum).ptr;
  return expected("at least " + std::string(digits.data(), end), node);
}

/// The range of the field's type; a 64-bit magnitude with a sign covers all four types.
Problem put_integer(const Slot& slot, Integer value, const YamlNode& node) {
  const auto& reflection = *slot.into.GetReflection();
  const FieldDescriptor* field = slot.schema.field;
  const FieldDescriptor::CppType type = field->cpp_type();
  const bool is_unsigned =
      type == FieldDescriptor::CPPTYPE_UINT32 || type == FieldDescriptor::CPPTYPE_UINT64;
  const bool is_narrow =
      type == FieldDescriptor::CPPTYPE_UINT32 || type == FieldDescriptor::CPPTYPE_INT32;
  if (is_unsigned && value.negative && value.magnitude != 0)
    return expected("a whole number of at least 0", node);
  const int bits = (is_narrow ? 32 : 64) - (is_unsigned ? 0 : 1);
  const std::uint64_t largest = (bits == 64 ? 0 : 1ULL << bits) - 1;
  if (value.magnitude > largest)
    return expected("a number of at most " + std::to_string(bits) + " bits", node);
  const auto number =
      static_cast<std::int64_t>(value.negative ? 0 - value.magnitude : value.magnitude);
  const bool add = field->is_repeated();
  Message* into = &slot.into;
  switch (type) {
    case FieldDescriptor::CPPTYPE_INT32: {
      const auto narrow = static_cast<std::int32_t>(number);
      add ? reflection.AddInt32(into, field, narrow) : reflection.SetInt32(into, field, narrow);
      break;
    }
    case FieldDescriptor::CPPTYPE_UINT32: {
      const auto narrow = static_cast<std::uint32_t>(value.magnitude);
      add ? reflection.AddUInt32(into, field, narrow) : reflection.SetUInt32(into, field, narrow);
      break;
    }
    case FieldDescriptor::CPPTYPE_INT64:
      add ? reflection.AddInt64(into, field, number) : reflection.SetInt64(into, field, number);
      break;
    default:
      add ? reflection.AddUInt64(into, field, value.magnitude)
          : reflection.SetUInt64(into, field, value.magnitude);
  }
  return std::nullopt;
}

Problem read_integer(const Slot& slot, const YamlNode& node) {
  std::optional<Integer> value;
  if (has_unit(slot.schema.format)) {
    const Result<std::int64_t> parsed = integer_with_unit(slot.schema.format, node.text);
    if (!parsed) return parsed.error().message;
    const auto magnitude = static_cast<std::uint64_t>(*parsed);
    value = Integer{*parsed < 0, *parsed < 0 ? 0 - magnitude : magnitude};
  } else if (scalar_type(node) == ScalarType::Integer) {
    value = parse_integer(node.text);
  }
  if (!value) return expected("a whole number", node);
  const auto magnitude = static_cast<double>(value->magnitude);
  if (Problem problem = below_minimum(slot.schema, value->negative ? -magnitude : magnitude, node))
    return problem;
  return put_integer(slot, *value, node);
}

Problem read_float(const Slot& slot, const YamlNode& node) {
  double value = 0;
  if (slot.schema.format == RATE || slot.schema.format == PERCENT) {
    const Result<double> parsed =
        slot.schema.format == RATE ? parse_rate(node.text) : parse_percent(node.text);
    if (!parsed) return parsed.error().message;
    value = *parsed;
  } else {
    if (!is_number(node)) return expected("a number", node);
    const char* begin = node.text.c_str() + (node.text[0] == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, node.text.c_str() + node.text.size(), value);
    if (error != std::errc{} || *end != '\0') return expected("a number", node);
  }
  if (Problem problem = below_minimum(slot.schema, value, node)) return problem;
  const auto& reflection = *slot.into.GetReflection();
  const FieldDescriptor* field = slot.schema.field;
  const bool add = field->is_repeated();
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
    add ? reflection.AddDouble(&slot.into, field, value)
        : reflection.SetDouble(&slot.into, field, value);
  } else {
    const auto narrow = static_cast<float>(value);
    add ? reflection.AddFloat(&slot.into, field, narrow)
        : reflection.SetFloat(&slot.into, field, narrow);
  }
  return std::nullopt;
}

Problem read_enum(const Slot& slot, const YamlNode& node) {
  const auto& type = *slot.schema.field->enum_type();
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    names.push_back(enum_name(*type.value(i)));
    if (node.text == names.back() || node.text == type.value(i)->name()) {
      slot.put(type.value(i));
      return std::nullopt;
    }
  }
  return expected(alternatives(names), node);
}

Problem read_bool(const Slot& slot, const YamlNode& node) {
  if (scalar_type(node) != ScalarType::Bool) return expected("true or false", node);
  slot.put(bool_value(node));
  return std::nullopt;
}

}  // namespace

std::optional<std::string> read_scalar(const FieldSchema& schema, const YamlNode& node,
                                       Strictness strictness, Message& into) {
  const Slot slot{schema, into};
  switch (schema.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return read_text(slot, node, strictness);
    case FieldDescriptor::CPPTYPE_BOOL:
      return read_bool(slot, node);
    case FieldDescriptor::CPPTYPE_ENUM:
      return read_enum(slot, node);
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return read_float(slot, node);
    default:
      return read_integer(slot, node);
  }
}

bool has_placeholder(const YamlNode& scalar) {
  const std::string& text = scalar.text;
  if (scalar.kind != YamlNode::Kind::Scalar || text.find('\n') != std::string::npos) return false;
  const std::size_t open = text.find("${");
  if (open != std::string::npos && text.find('}', open) != std::string::npos) return true;
  if (text.size() < 3 || text.front() != '<' || text.back() != '>') return false;
  return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- ", 1) == text.size() - 1;
}

}  // namespace troupe::manifests
