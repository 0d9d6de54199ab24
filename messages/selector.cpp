#include "messages/selector.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace troupe {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Gt and Lt: one value, both sides whole numbers.
bool compares(std::string_view op, const std::string* found, const ValueList& values) {
  if (found == nullptr || values.size() != 1) return false;
  const auto left = whole_number(*found);
  const auto right = whole_number(values[0]);
  if (!left || !right) return false;
  return op == "Gt" ? *left > *right : *left < *right;
}

bool requirement_holds(const std::string* found, std::string_view op, const ValueList& values) {
  const auto listed = [&] {
    return std::find(values.begin(), values.end(), *found) != values.end();
  };
  if (op == "In") return found != nullptr && listed();
  if (op == "NotIn") return found == nullptr || !listed();
  if (op == "Exists") return found != nullptr;
  if (op == "DoesNotExist") return found == nullptr;
  if (op == "Gt" || op == "Lt") return compares(op, found, values);
  return false;
}

/// A cursor over the text form of a selector.
class SelectorParser {
 public:
  explicit SelectorParser(std::string_view text) : whole_(text), rest_(text) {}

  Result<k8s::LabelSelector> parse() {
    skip_spaces();
    while (!rest_.empty()) {
      if (!requirement()) return fail("\"" + std::string(whole_) + "\" is not a label selector");
      skip_spaces();
      if (!rest_.empty() && !take(","))
        return fail("\"" + std::string(whole_) + "\" is not a label selector");
      skip_spaces();
    }
    return std::move(selector_);
  }

 private:
  void skip_spaces() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::string_view word() {
    skip_spaces();
    const std::string_view found = rest_.substr(0, rest_.find_first_of(" ,=!()"));
    rest_.remove_prefix(found.size());
    skip_spaces();
    return found;
  }

  k8s::LabelSelectorRequirement& add(std::string_view key, std::string_view op) {
    k8s::LabelSelectorRequirement& added = *selector_.add_match_expressions();
    added.set_key(std::string(key));
    added.set_operator_(std::string(op));
    return added;
  }

  bool requirement() {
    if (take("!")) {
      const std::string_view key = word();
      add(key, "DoesNotExist");
      return !key.empty();
    }
    const std::string_view key = word();
    if (key.empty()) return false;
    if (rest_.empty() || rest_.starts_with(',')) return add(key, "Exists"), true;
    if (take("!=")) return add(key, "NotIn").add_values(std::string(word())), true;
    if (take("==") || take("="))
      return set_label(*selector_.mutable_match_labels(), key, word()), true;
    const std::string_view op = word();
    if (op != "in" && op != "notin") return false;
    return values(add(key, op == "in" ? "In" : "NotIn"));
  }

  bool values(k8s::LabelSelectorRequirement& requirement) {
    if (!take("(")) return false;
    do {
      requirement.add_values(std::string(word()));
    } while (take(","));
    return take(")");
  }

  std::string_view whole_;
  std::string_view rest_;
  k8s::LabelSelector selector_;
};

std::string requirement_text(const k8s::LabelSelectorRequirement& requirement) {
  if (requirement.operator_() == "Exists") return requirement.key();
  if (requirement.operator_() == "DoesNotExist") return "!" + requirement.key();
  std::string text = requirement.key() + (requirement.operator_() == "In" ? " in (" : " notin (");
  for (int i = 0; i < requirement.values_size(); ++i)
    text += (i == 0 ? "" : ",") + requirement.values(i);
  return text + ")";
}

}  // namespace

bool requirement_matches(const LabelMap& labels, std::string_view key, std::string_view op,
                         const ValueList& values) {
  return requirement_holds(find_label(labels, key), op, values);
}

bool matches(const k8s::LabelSelector& selector, const LabelMap& labels) {
  const auto& expressions = selector.match_expressions();
  return contains_all(labels, selector.match_labels()) &&
         std::all_of(expressions.begin(), expressions.end(), [&](const auto& requirement) {
           return requirement_matches(labels, requirement.key(), requirement.operator_(),
                                      requirement.values());
         });
}

bool contains_all(const LabelMap& labels, const LabelMap& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const k8s::KeyValue& pair) {
    const std::string* found = find_label(labels, pair.key());
    return found != nullptr && *found == pair.value();
  });
}

bool matches(const k8s::NodeSelectorTerm& term, const k8s::ObjectMeta& node) {
  if (term.match_expressions().empty() && term.match_fields().empty()) return false;
  const bool labels_match =
      std::all_of(term.match_expressions().begin(), term.match_expressions().end(),
                  [&](const auto& requirement) {
                    return requirement_matches(node.labels(), requirement.key(),
                                               requirement.operator_(), requirement.values());
                  });
  return labels_match &&
         std::all_of(
             term.match_fields().begin(), term.match_fields().end(), [&](const auto& requirement) {
               const std::string* name =
                   requirement.key() == "metadata.name" ? &node.name() : nullptr;
               return requirement_holds(name, requirement.operator_(), requirement.values());
             });
}

bool matches(const k8s::NodeSelector& selector, const k8s::ObjectMeta& node) {
  const auto& terms = selector.node_selector_terms();
  return std::any_of(terms.begin(), terms.end(),
                     [&](const auto& term) { return matches(term, node); });
}

std::string selector_text(const k8s::LabelSelector& selector) {
  std::string text;
  for (const k8s::KeyValue& pair : selector.match_labels()) {
    text += (text.empty() ? "" : ",") + pair.key() + "=" + pair.value();
  }
  for (const auto& requirement : selector.match_expressions()) {
    text += (text.empty() ? "" : ",") + requirement_text(requirement);
  }
  return text;
}

Result<k8s::LabelSelector> parse_selector(std::string_view text) {
  return SelectorParser(text).parse();
}

}  // namespace troupe
