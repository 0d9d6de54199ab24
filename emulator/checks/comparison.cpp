#include "emulator/checks/comparison.h"

#include <algorithm>
#include <cmath>

#include "emulator/manifests/yaml_node.h"

namespace troupe::checks {
namespace {

using nlohmann::json;

bool equal(const json& a, const json& b, double tolerance) {
  if (a.is_number() && b.is_number()) {
    return std::abs(a.get<double>() - b.get<double>()) <= tolerance;
  }
  return a == b;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool is_index(const std::string& part) {
  constexpr std::size_t kDigits = 9;
  return !part.empty() && part.size() <= kDigits &&
         part.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

bool Comparison::holds(const json& observed) const {
  if (op == "==") return equal(observed, value, tolerance);
  if (op == "!=") return !equal(observed, value, tolerance);
  if (op == "in") {
    return std::any_of(value.begin(), value.end(),
                       [&](const json& item) { return equal(observed, item, tolerance); });
  }
  if (op == "matches") return !observed.is_null() && std::regex_search(text_of(observed), *pattern);
  if (!observed.is_number()) return false;
  const double left = observed.get<double>();
  const double right = value.get<double>();
  if (op == "<") return left < right + tolerance;
  if (op == "<=") return left <= right + tolerance;
  if (op == ">") return left > right - tolerance;
  return left >= right - tolerance;
}

std::string Comparison::describe() const {
  std::string text = op + " " + value.dump();
  if (tolerance > 0) text += " (within " + json(tolerance).dump() + ")";
  return text;
}

Result<Comparison> parse_comparison(const config::Expectation& expectation) {
  Comparison comparison;
  comparison.op = expectation.op();
  comparison.tolerance = expectation.tolerance();
  comparison.value = json::parse(expectation.value(), nullptr, false);
  if (comparison.value.is_discarded()) return fail("`value` is no value: " + expectation.value());
  const std::string& op = comparison.op;
  if (op == "in" && !comparison.value.is_array()) return fail("`in` expects a list as `value`");
  if (op == "matches") {
    if (!comparison.value.is_string())
      return fail("`matches` expects a regular expression as `value`");
    try {
      comparison.pattern.emplace(comparison.value.get<std::string>());
    } catch (const std::regex_error&) {
      return fail("`value` is no regular expression: " + expectation.value());
    }
  }
  const bool is_order = op == "<" || op == "<=" || op == ">" || op == ">=";
  if (is_order && !comparison.value.is_number())
    return fail("`" + op + "` expects a number as `value`");
  return comparison;
}

json value_at(const json& root, std::string_view path) {
  const json* here = &root;
  while (!path.empty()) {
    const std::string part(manifests::take_step(path));
    if (here->is_object()) {
      const auto found = here->find(part);
      if (found == here->end()) return {};
      here = &*found;
    } else if (here->is_array() && is_index(part) && std::stoul(part) < here->size()) {
      here = &(*here)[std::stoul(part)];
    } else {
      return {};
    }
  }
  return *here;
}

}  // namespace troupe::checks
