// The nodes at one moment, in the order in which they are examined.
//
// A decision is made on a snapshot and never on the cache itself. Bringing one up to date copies
// only the nodes that changed since it last was (see ClusterCache::refresh), so a cycle that binds
// one pod copies one node.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actors/scheduling/node_info.h"

namespace troupe::scheduling {

class Snapshot {
 public:
  explicit Snapshot(const LabelClasses& classes) : classes_(&classes) {}

  [[nodiscard]] std::span<const NodeInfo> nodes() const { return nodes_; }
  /// What a session changes while it tries a placement; the next refresh does not undo it, so
  /// restore it first.
  [[nodiscard]] NodeInfo& mutable_node(std::size_t index) { return nodes_[index]; }
  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;
  [[nodiscard]] const LabelClasses& classes() const { return *classes_; }
  /// True if some pod on these nodes has a term of pod affinity or anti-affinity.
  [[nodiscard]] bool any_affinity() const { return any_affinity_; }
  /// How many nodes hold the image.
  [[nodiscard]] std::size_t nodes_with_image(const std::string& image) const;

 private:
  friend class ClusterCache;

  const LabelClasses* classes_;
  std::vector<NodeInfo> nodes_;
  std::map<std::string, std::size_t> index_;
  std::map<std::string, std::size_t> image_nodes_;
  std::uint64_t layout_ = 0;  ///< which layout of the cache this has
  bool any_affinity_ = false;
};

}  // namespace troupe::scheduling
