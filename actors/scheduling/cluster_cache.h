// A scheduler's view of the cluster, filled by its watches and by its own assumptions.
//
// A pod that the scheduler placed counts on its node from that moment on ("assumed"), long before
// the binding comes back through the watch. The watch then confirms it, or another node turns out
// to have it, or the bind fails and it is forgotten. An assumption never expires by itself, as in
// Kubernetes since 1.25.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/scheduling/node_tree.h"
#include "actors/scheduling/snapshot.h"

namespace troupe::scheduling {

class ClusterCache {
 public:
  /// Adds the node or takes over its new state.
  void set_node(std::shared_ptr<const k8s::Node> node);
  void remove_node(const std::string& name);
  [[nodiscard]] const NodeInfo* find_node(const std::string& name) const;
  [[nodiscard]] std::size_t node_count() const { return tree_.size(); }

  /// A pod that has a node, as the watch shows it: takes the place of whatever was known of that
  /// uid.
  void set_pod(PodPtr pod);
  /// The pod no longer takes room: deleted, or finished.
  void remove_pod(const std::string& uid);

  /// Counts the pod on that node before the API server says so. The uid must not be in the cache.
  void assume(PodPtr pod, const std::string& node);
  /// Takes an assumption back; does nothing if the watch has confirmed it meanwhile.
  void forget(const std::string& uid);
  [[nodiscard]] bool is_assumed(const std::string& uid) const;
  /// The node that the pod is on or assumed on.
  [[nodiscard]] const std::string* node_of_pod(const std::string& uid) const;
  [[nodiscard]] PodPtr find_pod(const std::string& uid) const;

  LabelClasses& label_classes() { return classes_; }
  [[nodiscard]] Snapshot empty_snapshot() const { return Snapshot(classes_); }
  /// Brings the snapshot up to date. One snapshot per cache: the changes are handed out once.
  void refresh(Snapshot& snapshot);

 private:
  struct Placed {
    PodPtr pod;
    std::string node;
    bool assumed = false;
  };

  NodeInfo& node_slot(const std::string& name);
  void place(PodPtr pod, const std::string& node, bool assumed);
  void take_off(const Placed& placed);
  void touch(const std::string& node);
  void count_images(const NodeFacts& facts, int sign);
  void rebuild(Snapshot& snapshot) const;

  LabelClasses classes_;
  NodeTree tree_;
  std::map<std::string, NodeInfo> nodes_;
  std::unordered_map<std::string, Placed> pods_;  ///< looked up, never iterated
  std::map<std::string, std::size_t> image_nodes_;
  bool images_changed_ = false;
  std::vector<std::string> changed_;  ///< nodes since the last refresh; may repeat a name
  std::uint64_t layout_ = 1;          ///< grows when nodes come, go or change zone
  std::size_t pods_with_affinity_ = 0;
};

}  // namespace troupe::scheduling
