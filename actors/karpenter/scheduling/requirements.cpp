#include "actors/karpenter/scheduling/requirements.h"

#include <algorithm>

#include "actors/karpenter/scheduling/labels.h"

namespace troupe::karpenter {
namespace {

template <class Sets>
auto set_of(Sets& sets, std::string_view key) {
  return std::lower_bound(
      sets.begin(), sets.end(), key,
      [](const ValueSet& set, std::string_view k) { return std::string_view(set.key()) < k; });
}

bool leaves_out(Operator op) {
  return op == Operator::NotIn || op == Operator::DoesNotExist;
}

}  // namespace

Requirements Requirements::of_labels(
    const google::protobuf::RepeatedPtrField<k8s::KeyValue>& labels) {
  Requirements result;
  for (const k8s::KeyValue& label : labels) {
    result.add(ValueSet(label.key(), Operator::In, {label.value()}));
  }
  return result;
}

Requirements Requirements::of(const google::protobuf::RepeatedPtrField<Requirement>& spec) {
  Requirements result;
  for (const Requirement& entry : spec) result.add(ValueSet::from(entry));
  return result;
}

Requirements Requirements::of(
    const google::protobuf::RepeatedPtrField<k8s::NodeSelectorRequirement>& expressions) {
  Requirements result;
  for (const k8s::NodeSelectorRequirement& entry : expressions) result.add(ValueSet::from(entry));
  return result;
}

void Requirements::add(const ValueSet& set) {
  const auto at = set_of(sets_, set.key());
  if (at != sets_.end() && at->key() == set.key()) {
    *at = at->intersection(set);
  } else {
    sets_.insert(at, set);
  }
}

void Requirements::add(const Requirements& other) {
  for (const ValueSet& set : other.sets_) add(set);
}

void Requirements::put(const ValueSet& set) {
  const auto at = set_of(sets_, set.key());
  if (at != sets_.end() && at->key() == set.key()) {
    *at = set;
  } else {
    sets_.insert(at, set);
  }
}

void Requirements::erase(std::string_view key) {
  std::erase_if(sets_, [key](const ValueSet& set) { return set.key() == key; });
}

const ValueSet* Requirements::find(std::string_view key) const {
  const auto at = set_of(sets_, key);
  return at != sets_.end() && at->key() == key ? &*at : nullptr;
}

ValueSet Requirements::get(std::string_view key) const {
  const ValueSet* set = find(key);
  return set != nullptr ? *set : ValueSet(key, Operator::Exists);
}

bool Requirements::has_min_values() const {
  return std::ranges::any_of(sets_,
                             [](const ValueSet& set) { return set.min_values().has_value(); });
}

bool Requirements::may_miss(const ValueSet& wanted, Undefined undefined) {
  return (undefined == Undefined::WellKnownAllowed && is_well_known(wanted.key())) ||
         leaves_out(wanted.op());
}

bool Requirements::clash(const ValueSet& existing, const ValueSet& wanted) {
  if (existing.intersects(wanted)) return false;
  // Two sets that both shut values out agree where neither allows any.
  return !(leaves_out(wanted.op()) && leaves_out(existing.op()));
}

bool Requirements::is_compatible(const Requirements& wanted, Undefined undefined) const {
  return std::ranges::all_of(wanted.sets_, [&](const ValueSet& set) {
    const ValueSet* existing = find(set.key());
    return existing == nullptr ? may_miss(set, undefined) : !clash(*existing, set);
  });
}

Result<void> Requirements::compatible(const Requirements& wanted, Undefined undefined) const {
  std::string reasons;
  const auto add_reason = [&reasons](std::string reason) {
    reasons += (reasons.empty() ? "" : "; ") + std::move(reason);
  };
  for (const ValueSet& set : wanted.sets_) {
    const ValueSet* existing = find(set.key());
    if (existing == nullptr) {
      if (!may_miss(set, undefined)) {
        add_reason("label \"" + set.key() + "\" does not have known values");
      }
    } else if (clash(*existing, set)) {
      add_reason("key " + set.key() + ", " + set.to_string() + " not in " + existing->to_string());
    }
  }
  if (reasons.empty()) return {};
  return fail(std::move(reasons));
}

bool Requirements::intersects(const Requirements& other) const {
  return std::ranges::all_of(sets_, [&](const ValueSet& set) {
    const ValueSet* wanted = other.find(set.key());
    return wanted == nullptr || !clash(set, *wanted);
  });
}

std::string Requirements::to_string() const {
  std::string text;
  for (const ValueSet& set : sets_) {
    if (set.key() == kHostnameLabel) continue;
    if (!text.empty()) text += ", ";
    text += set.to_string();
  }
  return text;
}

}  // namespace troupe::karpenter
