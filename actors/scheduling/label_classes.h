// Pods that carry the same labels in the same namespace are one class.
//
// Spread and affinity ask, for every pod on every node, whether a selector matches it. Ten thousand
// replicas of a ReplicaSet are one class, so a node keeps a few (class, count) pairs and a selector
// is tried once for each class.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/scheduling/node_match.h"

namespace troupe::scheduling {

using LabelClass = std::uint32_t;

class LabelClasses {
 public:
  struct Entry {
    std::string name_space;
    LabelMap labels;
  };

  /// The class of these labels; made on first sight. Classes are numbered in order of appearance
  /// and never go away.
  LabelClass class_of(const k8s::ObjectMeta& meta);
  [[nodiscard]] const Entry& entry(LabelClass index) const { return entries_[index]; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  std::map<std::string, LabelClass> index_;
  std::vector<Entry> entries_;
};

/// Remembers for each class whether a predicate of (namespace, labels) holds; asks once.
template <class Predicate>
class ClassMemo {
 public:
  ClassMemo(const LabelClasses& classes, Predicate predicate)
      : classes_(classes), predicate_(std::move(predicate)), known_(classes.size(), kUnknown) {}

  [[nodiscard]] bool operator()(LabelClass index) {
    if (index >= known_.size()) known_.resize(classes_.size(), kUnknown);
    char& known = known_[index];
    if (known == kUnknown) {
      const LabelClasses::Entry& entry = classes_.entry(index);
      known = predicate_(entry.name_space, entry.labels) ? 1 : 0;
    }
    return known == 1;
  }

 private:
  static constexpr char kUnknown = 2;
  const LabelClasses& classes_;
  Predicate predicate_;
  std::vector<char> known_;
};

}  // namespace troupe::scheduling
