#include "emulator/manifests/yaml_overlay.h"

#include <algorithm>
#include <charconv>

#include "emulator/manifests/yaml_parser.h"

namespace troupe::manifests {
namespace {

void recount(YamlNode& node) {
  node.expanded = 1;
  node.height = 1;
  const auto grow = [&node](const YamlNode& child) {
    node.expanded += child.expanded;
    node.height = std::max(node.height, child.height + 1);
  };
  for (const YamlRef& item : node.items) grow(*item);
  for (const YamlEntry& entry : node.entries) grow(*entry.value);
}

std::vector<YamlEntry>::iterator place_of(YamlNode& map, std::string_view key) {
  return std::find_if(map.entries.begin(), map.entries.end(),
                      [key](const YamlEntry& entry) { return entry.key == key; });
}

/// A copy of `root` in which `value` stands at `path`.
Result<YamlRef> replaced(const YamlRef& root, std::string_view path, const YamlRef& value) {
  if (path.empty()) return value;
  const std::string_view step = take_step(path);
  auto copy = root ? std::make_shared<YamlNode>(*root) : std::make_shared<YamlNode>();
  if (copy->kind == YamlNode::Kind::Null) copy->kind = YamlNode::Kind::Map;
  if (copy->kind == YamlNode::Kind::Scalar)
    return fail("\"" + std::string(step) + "\" is below a single value");
  YamlRef* place = nullptr;
  if (copy->kind == YamlNode::Kind::List) {
    std::size_t index = copy->items.size();
    const auto parsed = std::from_chars(step.data(), step.data() + step.size(), index);
    if (parsed.ptr != step.data() + step.size() || index >= copy->items.size()) {
      return fail("a list has no item \"" + std::string(step) + "\"");
    }
    place = &copy->items[index];
  } else {
    auto at = place_of(*copy, step);
    if (at == copy->entries.end())
      at = copy->entries.insert(at, YamlEntry{std::string(step), value->line, nullptr});
    place = &at->value;
  }
  Result<YamlRef> child = replaced(*place, path, value);
  if (!child) return child;
  *place = std::move(*child);
  recount(*copy);
  return copy;
}

}  // namespace

YamlRef overlay(const YamlRef& base, const YamlRef& patch) {
  if (patch->kind != YamlNode::Kind::Map) return patch;
  auto merged = std::make_shared<YamlNode>();
  if (base && base->kind == YamlNode::Kind::Map) *merged = *base;
  merged->kind = YamlNode::Kind::Map;
  if (merged->line == 0) merged->line = patch->line;
  for (const YamlEntry& entry : patch->entries) {
    const auto at = place_of(*merged, entry.key);
    const bool is_new = at == merged->entries.end();
    if (entry.value->kind == YamlNode::Kind::Null) {
      if (!is_new) merged->entries.erase(at);
      continue;
    }
    const YamlRef value = overlay(is_new ? nullptr : at->value, entry.value);
    if (is_new) {
      merged->entries.push_back({entry.key, entry.line, value});
    } else {
      *at = {entry.key, entry.line, value};
    }
  }
  recount(*merged);
  return merged;
}

Result<YamlRef> with_value(const YamlRef& root, std::string_view path, std::string_view value) {
  YamlFile parsed = parse_yaml(value, "--set " + std::string(path));
  if (!parsed.diagnostics.empty()) return fail(parsed.diagnostics.front().message);
  auto node =
      parsed.documents.empty() ? std::make_shared<const YamlNode>() : parsed.documents.front();
  if (path.empty()) return fail("an empty path, expected a field such as \"duration\"");
  Result<YamlRef> result = replaced(root, path, node);
  if (!result) return fail("\"" + std::string(path) + "\": " + result.error().message);
  return result;
}

}  // namespace troupe::manifests
