#include "emulator/conformance/output_comparison.h"

#include <algorithm>
#include <cmath>

namespace troupe::conformance {
namespace {

using manifests::JsonTree;

// A case writes 83.333333, not the double that a component computes.
constexpr double kTolerance = 1e-6;

bool holds_values(const JsonTree& list) {
  return std::all_of(list.begin(), list.end(),
                     [](const JsonTree& item) { return !item.is_structured(); });
}

bool same_number(const JsonTree& a, const JsonTree& b) {
  if (!a.is_number() || !b.is_number()) return false;
  if (!a.is_number_float() && !b.is_number_float()) return a == b;
  const double wanted = a.get<double>();
  return std::abs(wanted - b.get<double>()) <= kTolerance * std::max(1.0, std::abs(wanted));
}

class Comparison {
 public:
  void compare(const std::string& path, const JsonTree& expected, const JsonTree* observed) {
    const bool same_type = observed != nullptr && observed->type() == expected.type();
    if (expected.is_object() && same_type) return compare_objects(path, expected, *observed);
    const bool item_by_item = expected.is_array() && same_type && !holds_values(expected) &&
                              observed->size() == expected.size();
    if (item_by_item) return compare_items(path, expected, *observed);
    // An output without elements does not have the list.
    if (observed == nullptr && expected.is_array() && expected.empty()) return;
    if (observed != nullptr && (*observed == expected || same_number(expected, *observed))) return;
    found_.push_back({path, observed == nullptr ? "nothing" : observed->dump(), expected.dump()});
  }
  [[nodiscard]] Differences take() { return std::move(found_); }

 private:
  void compare_objects(const std::string& path, const JsonTree& expected,
                       const JsonTree& observed) {
    for (const auto& [key, value] : expected.items()) {
      const auto at = observed.find(key);
      compare(path.empty() ? key : path + "." + key, value, at == observed.end() ? nullptr : &*at);
    }
  }
  void compare_items(const std::string& path, const JsonTree& expected, const JsonTree& observed) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      compare(std::string(path).append("[").append(std::to_string(i)).append("]"), expected[i],
              &observed[i]);
    }
  }

  Differences found_;
};

}  // namespace

Differences compare_output(const JsonTree& expected, const JsonTree& observed) {
  Comparison comparison;
  comparison.compare("", expected, &observed);
  return comparison.take();
}

}  // namespace troupe::conformance
