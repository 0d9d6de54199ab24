// The set of values that one label may have: what a key of a node selector, an affinity term or a
// NodePool allows.
//
// A set is given by its members (In; DoesNotExist is the empty one) or by what it leaves out
// (NotIn; Exists leaves out nothing), and may be bounded as an integer (Gt, Lt, Gte, Lte).
// Intersecting such sets is all that Karpenter's scheduling does with labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/k8s/placement.pb.h"
#include "messages/karpenter.pb.h"

namespace troupe::karpenter {

enum class Operator : std::uint8_t { In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte };

[[nodiscard]] std::string_view name_of(Operator op);
/// The operator of that name; Exists where there is none (the schema refuses such input before).
[[nodiscard]] Operator operator_of(std::string_view name);

class ValueSet {
 public:
  /// `values` of Gt, Lt, Gte and Lte is one integer.
  ValueSet(std::string_view key, Operator op, std::vector<std::string> values = {});

  static ValueSet from(const k8s::NodeSelectorRequirement& requirement);
  static ValueSet from(const Requirement& requirement);

  [[nodiscard]] const std::string& key() const { return key_; }
  /// In, NotIn, Exists or DoesNotExist: bounds do not show.
  [[nodiscard]] Operator op() const;
  [[nodiscard]] bool has(std::string_view value) const;
  /// The members of an In, or what a NotIn leaves out; sorted.
  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }
  [[nodiscard]] bool is_empty() const { return !complement_ && values_.empty(); }
  /// Exactly one value is allowed.
  [[nodiscard]] bool is_single() const { return !complement_ && values_.size() == 1; }
  /// The smallest value that is allowed; empty where none is.
  [[nodiscard]] std::string any() const;

  /// How many distinct values of this key the instance types of a claim must offer.
  [[nodiscard]] std::optional<int> min_values() const { return min_values_; }
  void set_min_values(std::optional<int> count) { min_values_ = count; }

  [[nodiscard]] ValueSet intersection(const ValueSet& other) const;
  /// Whether the intersection is not empty; builds no set.
  [[nodiscard]] bool intersects(const ValueSet& other) const;
  /// Adds a member to an In.
  void insert(std::string_view value);

  /// "zone In [a b]", the way Karpenter writes it in its messages.
  [[nodiscard]] std::string to_string() const;
  /// The entries that stand for it in a NodeClaim: one, or two for a set with both bounds.
  [[nodiscard]] std::vector<Requirement> to_spec() const;

  friend bool operator==(const ValueSet&, const ValueSet&) = default;

 private:
  struct Bounds {
    std::optional<std::int64_t> at_least;
    std::optional<std::int64_t> at_most;
    [[nodiscard]] bool any() const { return at_least || at_most; }
    [[nodiscard]] bool impossible() const { return at_least && at_most && *at_least > *at_most; }
    [[nodiscard]] bool allow(std::string_view value) const;
    friend bool operator==(const Bounds&, const Bounds&) = default;
  };
  [[nodiscard]] bool is_member(std::string_view value) const;
  [[nodiscard]] static Bounds tighter(const Bounds& a, const Bounds& b);

  std::string key_;
  bool complement_ = false;
  std::vector<std::string> values_;
  Bounds bounds_;
  std::optional<int> min_values_;
};

}  // namespace troupe::karpenter
