#include "actors/telemetry/label_set.h"

#include <algorithm>

namespace troupe::telemetry {
namespace {

constexpr std::string_view kExported = "exported_";

bool key_before(const LabelSet::Pair& pair, std::string_view key) {
  return pair.first < key;
}

bool requirement_holds(const api::LabelRequirement& requirement, const LabelSet& labels) {
  const std::string* value = labels.find(requirement.key());
  const auto& allowed = requirement.values();
  const bool listed =
      value != nullptr && std::find(allowed.begin(), allowed.end(), *value) != allowed.end();
  if (requirement.operator_() == "In") return listed;
  if (requirement.operator_() == "NotIn") return !listed;
  if (requirement.operator_() == "Exists") return value != nullptr;
  return requirement.operator_() == "DoesNotExist" && value == nullptr;
}

}  // namespace

LabelSet::LabelSet(std::initializer_list<Pair> pairs) {
  pairs_.reserve(pairs.size());
  for (const auto& [key, value] : pairs) set(key, value);
}

LabelSet::LabelSet(const google::protobuf::RepeatedPtrField<Label>& labels) {
  pairs_.reserve(static_cast<std::size_t>(labels.size()));
  for (const Label& label : labels) set(label.key(), label.value());
}

void LabelSet::set(std::string_view key, std::string_view value) {
  const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), key, key_before);
  const bool known = at != pairs_.end() && at->first == key;
  if (value.empty()) {
    if (known) pairs_.erase(at);
  } else if (known) {
    at->second = value;
  } else {
    pairs_.emplace(at, key, value);
  }
}

const std::string* LabelSet::find(std::string_view key) const {
  const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), key, key_before);
  return at != pairs_.end() && at->first == key ? &at->second : nullptr;
}

LabelSet with_target_labels(LabelSet sample, const LabelSet& target) {
  for (const auto& [key, value] : target.pairs()) {
    if (const std::string* own = sample.find(key)) {
      const std::string hidden = *own;
      sample.set(std::string(kExported) + key, hidden);
    }
    sample.set(key, value);
  }
  return sample;
}

const std::string* exported_label(const LabelSet& labels, std::string_view key) {
  const std::string* exported = labels.find(std::string(kExported) + std::string(key));
  return exported != nullptr ? exported : labels.find(key);
}

bool matches(const google::protobuf::RepeatedPtrField<api::LabelRequirement>& requirements,
             const LabelSet& labels) {
  return std::all_of(
      requirements.begin(), requirements.end(),
      [&](const api::LabelRequirement& one) { return requirement_holds(one, labels); });
}

}  // namespace troupe::telemetry
