#include "emulator/manifests/yaml_node.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace troupe::manifests {
namespace {

constexpr std::array<std::string_view, 9> kTrue = {"true", "True", "TRUE", "yes", "Yes",
                                                   "YES",  "on",   "On",   "ON"};
constexpr std::array<std::string_view, 9> kFalse = {"false", "False", "FALSE", "no", "No",
                                                    "NO",    "off",   "Off",   "OFF"};

bool among(const auto& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool all_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_integer(std::string_view text) {
  if (text.starts_with("0x")) return all_of(text.substr(2), "0123456789abcdefABCDEF");
  if (text.starts_with("0o")) return all_of(text.substr(2), "01234567");
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return all_of(text, "0123456789");
}

bool is_float(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text == ".inf" || text == "-.inf" || text == ".nan") return true;
  if (text.empty() || text.find_first_of("0123456789") == std::string_view::npos) return false;
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
  double value = 0;
  return std::from_chars(text.data(), text.data() + text.size(), value).ptr ==
         text.data() + text.size();
}

/// What a step leads to, or null.
const YamlNode* child(const YamlNode& node, std::string_view step) {
  if (node.kind != YamlNode::Kind::List) return find(node, step);
  std::size_t index = node.items.size();
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool valid =
      error == std::errc{} && end == step.data() + step.size() && index < node.items.size();
  return valid ? node.items[index].get() : nullptr;
}

/// A text that is short enough for a message.
std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool cut = line.size() > kLongest || line.size() < text.size();
  return "\"" + std::string(line.substr(0, kLongest)) + (cut ? "...\"" : "\"");
}

}  // namespace

ScalarType scalar_type(const YamlNode& scalar) {
  if (!scalar.plain) return ScalarType::Text;
  if (among(kTrue, scalar.text) || among(kFalse, scalar.text)) return ScalarType::Bool;
  if (is_integer(scalar.text)) return ScalarType::Integer;
  return is_float(scalar.text) ? ScalarType::Float : ScalarType::Text;
}

bool bool_value(const YamlNode& scalar) {
  return among(kTrue, scalar.text);
}

const YamlNode* find(const YamlNode& map, std::string_view key) {
  const auto at = std::find_if(map.entries.begin(), map.entries.end(),
                               [key](const YamlEntry& entry) { return entry.key == key; });
  return at != map.entries.end() ? at->value.get() : nullptr;
}

std::string_view take_step(std::string_view& path) {
  const std::string_view step = path.substr(0, path.find_first_of(".["));
  path.remove_prefix(step.size());
  if (!step.empty()) {
    if (path.starts_with('.')) path.remove_prefix(1);
    return step;
  }
  const std::string_view index = path.substr(1, path.find(']') - 1);  // "[0]"
  path.remove_prefix(std::min(path.size(), index.size() + 2));
  if (path.starts_with('.')) path.remove_prefix(1);
  return index;
}

const YamlNode* find_path(const YamlNode& root, std::string_view path) {
  const YamlNode* node = &root;
  while (node != nullptr && !path.empty()) node = child(*node, take_step(path));
  return node;
}

int line_of(const YamlNode& root, std::string_view path) {
  const YamlNode* node = &root;
  while (!path.empty()) {
    const YamlNode* next = child(*node, take_step(path));
    if (next == nullptr) break;
    node = next;
  }
  return node->line;
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::Null:
      return "nothing";
    case YamlNode::Kind::List:
      return "a list";
    case YamlNode::Kind::Map:
      return "a mapping";
    case YamlNode::Kind::Scalar:
      break;
  }
  switch (scalar_type(node)) {
    case ScalarType::Bool:
      return "the boolean " + node.text;
    case ScalarType::Integer:
    case ScalarType::Float:
      return "the number " + node.text;
    case ScalarType::Text:
      break;
  }
  return "the text " + excerpt(node.text);
}

}  // namespace troupe::manifests
