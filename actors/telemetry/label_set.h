// The labels of a series, as Prometheus has them: a set of pairs, sorted by key.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <google/protobuf/repeated_field.h>

#include "messages/api.pb.h"
#include "messages/telemetry.pb.h"

namespace troupe::telemetry {

class LabelSet {
 public:
  using Pair = std::pair<std::string, std::string>;

  LabelSet() = default;
  LabelSet(std::initializer_list<Pair> pairs);
  explicit LabelSet(const google::protobuf::RepeatedPtrField<Label>& labels);

  /// Sets a label; an empty value removes it, since an empty label is an absent one.
  void set(std::string_view key, std::string_view value);
  /// The value, or null.
  [[nodiscard]] const std::string* find(std::string_view key) const;
  [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }

  friend bool operator==(const LabelSet& a, const LabelSet& b) { return a.pairs_ == b.pairs_; }
  friend bool operator<(const LabelSet& a, const LabelSet& b) { return a.pairs_ < b.pairs_; }

 private:
  std::vector<Pair> pairs_;  // sorted by key, keys unique
};

/// The labels of a scraped sample once the target's own labels are attached. A label that both have
/// keeps the target's value; the sample's goes to "exported_" + key (Prometheus, honor_labels:
/// false).
[[nodiscard]] LabelSet with_target_labels(LabelSet sample, const LabelSet& target);

/// The label that the scraped program meant by `key`: its "exported_" form where the target's own
/// label hid it. Null if there is neither.
[[nodiscard]] const std::string* exported_label(const LabelSet& labels, std::string_view key);

/// True if all requirements hold; a key that is absent satisfies NotIn and DoesNotExist only.
[[nodiscard]] bool matches(
    const google::protobuf::RepeatedPtrField<api::LabelRequirement>& requirements,
    const LabelSet& labels);

}  // namespace troupe::telemetry
