#include "emulator/manifests/raw_json.h"

#include <cstdlib>
#include <limits>

#include <nlohmann/json.hpp>

#include "emulator/manifests/integer.h"

namespace troupe::manifests {
namespace {

using Json = nlohmann::json;  // sorts its keys

Json integer_json(const std::string& text) {
  const std::optional<Integer> value = parse_integer(text);
  if (!value) return text;  // beyond 64 bits: kept as it was written
  if (!value->negative) return value->magnitude;
  if (value->magnitude > 1ULL << 63) return text;
  return static_cast<std::int64_t>(0 - value->magnitude);
}

Json scalar_json(const YamlNode& node) {
  switch (scalar_type(node)) {
    case ScalarType::Bool:
      return bool_value(node);
    case ScalarType::Integer:
      return integer_json(node.text);
    case ScalarType::Float: {
      const double value = std::strtod(node.text.c_str(), nullptr);
      const bool has_json_form = node.text.find_first_of("0123456789") != std::string::npos &&
                                 value <= std::numeric_limits<double>::max() &&
                                 value >= std::numeric_limits<double>::lowest();
      return has_json_form ? Json(value) : Json(node.text);
    }
    case ScalarType::Text:
      break;
  }
  return node.text;
}

Json to_json(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::Null:
      return nullptr;
    case YamlNode::Kind::Scalar:
      return scalar_json(node);
    case YamlNode::Kind::List: {
      Json list = Json::array();
      for (const YamlRef& item : node.items) list.push_back(to_json(*item));
      return list;
    }
    case YamlNode::Kind::Map:
      break;
  }
  Json map = Json::object();
  for (const YamlEntry& entry : node.entries) map[entry.key] = to_json(*entry.value);
  return map;
}

}  // namespace

std::string json_text(const YamlNode& node) {
  return to_json(node).dump();
}

}  // namespace troupe::manifests
