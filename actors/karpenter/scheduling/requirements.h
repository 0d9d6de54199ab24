// What is asked of a node's labels: one ValueSet for each key, all of which must hold.
//
// A pod, a NodePool, an instance type, an offering and a node each are such a set; to schedule is
// to intersect them. Keys that one side does not define are the subtle part: a new node may still
// take any well-known label, an existing one not.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/karpenter/scheduling/value_set.h"
#include "messages/k8s/meta.pb.h"
#include "messages/result.h"

namespace troupe::karpenter {

/// Which keys of the other side may be undefined on this side.
enum class Undefined : std::uint8_t {
  Refused,           ///< an existing node has the labels that it has
  WellKnownAllowed,  ///< a node to come: its instance type will define them
};

class Requirements {
 public:
  Requirements() = default;

  static Requirements of_labels(const google::protobuf::RepeatedPtrField<k8s::KeyValue>& labels);
  static Requirements of(const google::protobuf::RepeatedPtrField<Requirement>& spec);
  static Requirements of(
      const google::protobuf::RepeatedPtrField<k8s::NodeSelectorRequirement>& expressions);

  /// Intersects with what is there for that key.
  void add(const ValueSet& set);
  void add(const Requirements& other);
  /// Replaces what is there.
  void put(const ValueSet& set);
  void erase(std::string_view key);

  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] const ValueSet* find(std::string_view key) const;
  /// The set of that key; Exists where it is not defined.
  [[nodiscard]] ValueSet get(std::string_view key) const;
  /// In order of the keys.
  [[nodiscard]] std::span<const ValueSet> all() const& { return sets_; }
  std::span<const ValueSet> all() const&& = delete;
  [[nodiscard]] bool has_min_values() const;

  /// Whether a node of this kind can satisfy `wanted`.
  [[nodiscard]] bool is_compatible(const Requirements& wanted, Undefined undefined) const;
  /// The same, with the reason in Karpenter's words where it cannot.
  [[nodiscard]] Result<void> compatible(const Requirements& wanted, Undefined undefined) const;
  /// Whether every key that both define has a value in common.
  [[nodiscard]] bool intersects(const Requirements& other) const;

  /// "a In [x], b Exists": by key; a host name that only the simulation uses is left out.
  [[nodiscard]] std::string to_string() const;

 private:
  [[nodiscard]] static bool may_miss(const ValueSet& wanted, Undefined undefined);
  [[nodiscard]] static bool clash(const ValueSet& existing, const ValueSet& wanted);

  std::vector<ValueSet> sets_;  ///< sorted by key
};

}  // namespace troupe::karpenter
