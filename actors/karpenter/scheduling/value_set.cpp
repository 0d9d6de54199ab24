#include "actors/karpenter/scheduling/value_set.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>

#include "actors/karpenter/scheduling/labels.h"

namespace troupe::karpenter {
namespace {

constexpr std::array<std::string_view, 8> kOperatorNames = {"In", "NotIn", "Exists", "DoesNotExist",
                                                            "Gt", "Lt",    "Gte",    "Lte"};
/// Karpenter prints so many values of a set and counts the rest.
constexpr std::size_t kPrintedValues = 5;

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
std::optional<T> larger(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a || !b) return a ? a : b;
  return std::max(*a, *b);
}

template <class T>
std::optional<T> smaller(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

Requirement spec_entry(std::string_view key, Operator op, std::optional<int> min_values) {
  Requirement entry;
  entry.set_key(std::string(key));
  entry.set_operator_(std::string(name_of(op)));
  if (min_values) entry.set_min_values(*min_values);
  return entry;
}

}  // namespace

std::string_view name_of(Operator op) {
  return kOperatorNames[static_cast<std::size_t>(op)];
}

Operator operator_of(std::string_view name) {
  const auto* at = std::ranges::find(kOperatorNames, name);
  return at == kOperatorNames.end() ? Operator::Exists
                                    : static_cast<Operator>(at - kOperatorNames.begin());
}

ValueSet::ValueSet(std::string_view key, Operator op, std::vector<std::string> values)
    : key_(normalized_key(key)), complement_(op != Operator::In && op != Operator::DoesNotExist) {
  if (op == Operator::In || op == Operator::NotIn) {
    values_ = std::move(values);
    std::ranges::sort(values_);
    const auto repeated = std::ranges::unique(values_);
    values_.erase(repeated.begin(), repeated.end());
    return;
  }
  if (op == Operator::Exists || op == Operator::DoesNotExist) return;
  const std::int64_t bound = values.empty() ? 0 : parse_integer(values.front()).value_or(0);
  switch (op) {
    case Operator::Gt:
      if (bound == std::numeric_limits<std::int64_t>::max()) {
        complement_ = false;
      } else {
        bounds_.at_least = bound + 1;
      }
      break;
    case Operator::Lt:
      bounds_.at_most = bound - 1;
      break;
    case Operator::Gte:
      bounds_.at_least = bound;
      break;
    default:
      bounds_.at_most = bound;
      break;
  }
}

ValueSet ValueSet::from(const k8s::NodeSelectorRequirement& requirement) {
  return ValueSet(requirement.key(), operator_of(requirement.operator_()),
                  {requirement.values().begin(), requirement.values().end()});
}

ValueSet ValueSet::from(const Requirement& requirement) {
  ValueSet set(requirement.key(), operator_of(requirement.operator_()),
               {requirement.values().begin(), requirement.values().end()});
  if (requirement.has_min_values()) set.min_values_ = requirement.min_values();
  return set;
}

bool ValueSet::Bounds::allow(std::string_view value) const {
  if (!any()) return true;
  const std::optional<std::int64_t> number = parse_integer(value);
  return number && !(at_least && *number < *at_least) && !(at_most && *number > *at_most);
}

ValueSet::Bounds ValueSet::tighter(const Bounds& a, const Bounds& b) {
  return {larger(a.at_least, b.at_least), smaller(a.at_most, b.at_most)};
}

bool ValueSet::is_member(std::string_view value) const {
  return std::binary_search(values_.begin(), values_.end(), value);
}

Operator ValueSet::op() const {
  if (complement_) return values_.empty() ? Operator::Exists : Operator::NotIn;
  return values_.empty() ? Operator::DoesNotExist : Operator::In;
}

bool ValueSet::has(std::string_view value) const {
  return is_member(value) != complement_ && bounds_.allow(value);
}

std::string ValueSet::any() const {
  if (!complement_) return values_.empty() ? std::string() : values_.front();
  std::int64_t value = bounds_.at_least.value_or(0);
  while (is_member(std::to_string(value))) ++value;
  return std::to_string(value);
}

ValueSet ValueSet::intersection(const ValueSet& other) const {
  ValueSet result(key_, Operator::DoesNotExist);
  result.min_values_ = larger(min_values_, other.min_values_);
  const Bounds bounds = tighter(bounds_, other.bounds_);
  if (bounds.impossible()) return result;

  result.complement_ = complement_ && other.complement_;
  auto into = std::back_inserter(result.values_);
  if (complement_ && other.complement_) {
    std::ranges::set_union(values_, other.values_, into);
  } else if (complement_) {
    std::ranges::set_difference(other.values_, values_, into);
  } else if (other.complement_) {
    std::ranges::set_difference(values_, other.values_, into);
  } else {
    std::ranges::set_intersection(values_, other.values_, into);
  }
  std::erase_if(result.values_, [&](const std::string& value) { return !bounds.allow(value); });
  if (result.complement_) result.bounds_ = bounds;
  return result;
}

bool ValueSet::intersects(const ValueSet& other) const {
  const Bounds bounds = tighter(bounds_, other.bounds_);
  if (bounds.impossible()) return false;
  if (complement_ && other.complement_) return true;
  const ValueSet& members = complement_ ? other : *this;
  const ValueSet& allowed = complement_ ? *this : other;
  return std::ranges::any_of(members.values_, [&](const std::string& value) {
    return allowed.is_member(value) != allowed.complement_ && bounds.allow(value);
  });
}

void ValueSet::insert(std::string_view value) {
  const auto at = std::lower_bound(values_.begin(), values_.end(), value);
  if (at == values_.end() || *at != value) values_.emplace(at, value);
}

std::string ValueSet::to_string() const {
  std::string text = key_ + " " + std::string(name_of(op()));
  if (!values_.empty()) {
    text += " [";
    for (std::size_t i = 0; i < std::min(values_.size(), kPrintedValues); ++i) {
      if (i > 0) text += ' ';
      text += values_[i];
    }
    if (values_.size() > kPrintedValues) {
      text += " and " + std::to_string(values_.size() - kPrintedValues) + " others";
    }
    text += ']';
  }
  if (bounds_.at_least) text += " >=" + std::to_string(*bounds_.at_least);
  if (bounds_.at_most) text += " <=" + std::to_string(*bounds_.at_most);
  if (min_values_) text += " minValues " + std::to_string(*min_values_);
  return text;
}

std::vector<Requirement> ValueSet::to_spec() const {
  std::vector<Requirement> entries;
  if (bounds_.at_least) {
    entries.push_back(spec_entry(key_, Operator::Gte, min_values_));
    entries.back().add_values(std::to_string(*bounds_.at_least));
  }
  if (bounds_.at_most) {
    entries.push_back(spec_entry(key_, Operator::Lte, min_values_));
    entries.back().add_values(std::to_string(*bounds_.at_most));
  }
  if (!entries.empty()) return entries;
  entries.push_back(spec_entry(key_, op(), min_values_));
  for (const std::string& value : values_) entries.back().add_values(value);
  return entries;
}

}  // namespace troupe::karpenter
