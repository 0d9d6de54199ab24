#include "emulator/manifests/tree_builder.h"

#include <algorithm>
#include <set>
#include <utility>

#include <yaml-cpp/mark.h>

#include "emulator/manifests/text_check.h"
#include "emulator/manifests/yaml_parser.h"

namespace troupe::manifests {
namespace {

int line_of(const YAML::Mark& mark) {
  return mark.line + 1;
}

/// Counts a finished child into its parent.
void grow(YamlNode& parent, const YamlNode& child) {
  parent.expanded += child.expanded;
  parent.height = std::max(parent.height, child.height + 1);
}

void add_merged(YamlNode& map, std::set<std::string>& keys, const YamlNode& from) {
  for (const YamlEntry& entry : from.entries) {
    if (keys.insert(entry.key).second) map.entries.push_back(entry);
  }
}

}  // namespace

YamlRef TreeBuilder::take_document() {
  return std::exchange(root_, nullptr);
}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  document_start_ = {line_of(mark), mark.column};
  stack_.clear();
  anchors_.clear();
  root_ = nullptr;
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (wants_key())
    throw StopParsing(line_of(mark), "found an empty key, expected a name before the colon");
  count(1, line_of(mark));
  auto node = std::make_shared<YamlNode>();
  // The mark of a value that is not there is that of whatever comes next.
  const bool has_key = !stack_.empty() && stack_.back().has_key;
  node->line = has_key ? stack_.back().key_line : line_of(mark);
  remember(anchor, node);
  if (!stack_.empty()) add(std::move(node));
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto target = anchors_.find(anchor);
  if (target == anchors_.end()) {
    throw StopParsing(
        line_of(mark),
        "found an alias to something that contains it, expected one to a value before it");
  }
  if (wants_key()) return take_key(*target->second, line_of(mark));
  count(target->second->expanded, line_of(mark));
  add(target->second);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  const bool plain = tag == "?";
  last_quoted_ = plain ? Place{} : Place{line_of(mark), mark.column};
  if (is_template(value, plain)) throw StopParsing(line_of(mark), kTemplateMessage);
  auto node = std::make_shared<YamlNode>();
  node->kind = YamlNode::Kind::Scalar;
  node->plain = plain;
  node->line = line_of(mark);
  node->text = value;
  count(1, node->line);
  remember(anchor, node);
  if (wants_key()) return take_key(*node, node->line);
  add(std::move(node));
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value /*style*/) {
  open(YamlNode::Kind::List, line_of(mark), anchor);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/,
                             YAML::anchor_t anchor, YAML::EmitterStyle::value /*style*/) {
  open(YamlNode::Kind::Map, line_of(mark), anchor);
}

bool TreeBuilder::wants_key() const {
  return !stack_.empty() && stack_.back().node->kind == YamlNode::Kind::Map &&
         !stack_.back().has_key;
}

void TreeBuilder::open(YamlNode::Kind kind, int line, YAML::anchor_t anchor) {
  // A key that is a mapping is what `{{ .Values.x }}` looks like to a YAML parser.
  if (wants_key()) throw StopParsing(line, "found a list or mapping as a key, expected a name");
  if (stack_.size() >= kMaxDepth) {
    throw StopParsing(line, "found more than " + std::to_string(kMaxDepth) + " levels of nesting");
  }
  count(1, line);
  auto node = std::make_shared<YamlNode>();
  node->kind = kind;
  node->line = line;
  stack_.push_back({std::move(node), anchor});
}

void TreeBuilder::close() {
  Open done = std::move(stack_.back());
  stack_.pop_back();
  refuse_duplicates(*done.node);
  apply_merges(done);
  if (done.node->height + stack_.size() > kMaxDepth) {
    throw StopParsing(done.node->line,
                      "aliases nest more than " + std::to_string(kMaxDepth) + " levels deep");
  }
  remember(done.anchor, done.node);
  add(std::move(done.node));
}

void TreeBuilder::add(YamlRef node) {
  if (stack_.empty()) {
    root_ = std::move(node);
    return;
  }
  Open& parent = stack_.back();
  grow(*parent.node, *node);
  if (parent.node->kind == YamlNode::Kind::List) {
    parent.node->items.push_back(std::move(node));
    return;
  }
  parent.has_key = false;
  if (parent.key_is_merge && node->kind != YamlNode::Kind::Scalar) {
    parent.merges.push_back(std::move(node));
  } else {
    parent.node->entries.push_back({std::move(parent.key), parent.key_line, std::move(node)});
  }
}

void TreeBuilder::take_key(const YamlNode& node, int line) {
  if (node.kind != YamlNode::Kind::Scalar)
    throw StopParsing(line, "found " + describe(node) + " as a key, expected a name");
  Open& map = stack_.back();
  map.has_key = true;
  map.key = node.text;
  map.key_line = line;
  map.key_is_merge = node.plain && node.text == "<<";
}

void TreeBuilder::remember(YAML::anchor_t anchor, const YamlRef& node) {
  if (anchor != 0) anchors_[anchor] = node;
}

/// `<<` brings the entries of one map, or of several in order; what the map itself gives wins, then
/// what came first.
void TreeBuilder::apply_merges(Open& map) {
  if (map.merges.empty()) return;
  std::set<std::string> keys;
  for (const YamlEntry& entry : map.node->entries) keys.insert(entry.key);
  for (const YamlRef& merge : map.merges) {
    add_merged(*map.node, keys, *merge);
    for (const YamlRef& item : merge->items) add_merged(*map.node, keys, *item);
  }
}

void TreeBuilder::refuse_duplicates(const YamlNode& map) {
  std::vector<const YamlEntry*> sorted;
  sorted.reserve(map.entries.size());
  for (const YamlEntry& entry : map.entries) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const YamlEntry* a, const YamlEntry* b) { return a->key < b->key; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i]->key != sorted[i - 1]->key) continue;
    reporter_.report(sorted[i]->line, sorted[i]->key,
                     "found this key a second time, expected it once: it is already on line " +
                         std::to_string(sorted[i - 1]->line));
  }
}

void TreeBuilder::count(std::uint32_t nodes, int line) {
  nodes_ += nodes;
  if (nodes_ > kMaxNodes) {
    throw StopParsing(line,
                      "found more than " + std::to_string(kMaxNodes) +
                          " values, aliases expanded: split the file, or write out its aliases");
  }
}

}  // namespace troupe::manifests
