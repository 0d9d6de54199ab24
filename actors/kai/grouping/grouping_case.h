// A pod with its owners, as the grouping plugins look at it, and the group that most kinds get.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/kai/pod_grouping.h"

namespace troupe::kai {

// KAI, pkg/podgrouper/podgrouper/plugins: what a kind's group gets where no class is asked for.
inline constexpr std::string_view kTrainClass = "train";
inline constexpr std::string_view kBuildClass = "build";
inline constexpr std::string_view kInferenceClass = "inference";

class GroupingCase {
 public:
  /// `owners`: as for group_pod().
  GroupingCase(const k8s::Pod& pod, std::vector<OwnerView> owners, const GroupingOptions& options);

  [[nodiscard]] const k8s::Pod& pod() const { return pod_; }
  [[nodiscard]] const GroupingOptions& options() const { return options_; }
  /// The owner that decides; the pod itself where it has none.
  [[nodiscard]] const OwnerView& top() const { return owners_.back(); }
  /// The top owner as a T, or null.
  template <class T>
  [[nodiscard]] const T* top_as() const {
    return top().object.as<T>();
  }
  /// The same pod with the next owner below on top, which takes over the labels of the skipped one.
  [[nodiscard]] GroupingCase without_top() const;

  /// "pg-<owner>-<uid>" with a minimum of one, as any kind without a plugin gets it. `fallback` is
  /// the class where nobody names one that exists.
  [[nodiscard]] Grouping one_group(std::string_view fallback = kTrainClass) const;
  /// A group of the pod alone, owned by it.
  [[nodiscard]] Grouping own_group(std::string_view fallback) const;

  /// "JobSet default/x", for messages.
  [[nodiscard]] std::string top_text() const;

 private:
  [[nodiscard]] std::string_view label(std::string_view key) const;
  [[nodiscard]] std::string queue() const;
  [[nodiscard]] std::string priority_class(const std::vector<OwnerView>& owners,
                                           std::string_view fallback) const;
  [[nodiscard]] std::string preemptibility() const;

  const k8s::Pod& pod_;
  const GroupingOptions& options_;
  std::vector<OwnerView> owners_;  ///< never empty
};

/// A plugin: the grouping of a pod whose top owner is of one kind, or what is wrong with it.
using GroupPlugin = Result<Grouping> (*)(const GroupingCase&);

[[nodiscard]] std::string group_name(std::string_view name, std::string_view uid);
void set_owner(PodGroup& group, const OwnerView& owner);
SubGroup& add_sub_group(PodGroup& group, std::string_view name, int minimum,
                        std::string_view parent = {});
[[nodiscard]] TopologyConstraint topology_constraint(std::string_view topology,
                                                     std::string_view required,
                                                     std::string_view preferred);
/// The whole text as a number, or nothing.
[[nodiscard]] std::optional<int> whole_number(std::string_view text);

}  // namespace troupe::kai
