// The order in which nodes are examined: zone after zone in turn, so that a sample of nodes is
// spread over the zones.
//
// Within a zone nodes stand in order of arrival, zones in order of their first node: the order of
// kube-scheduler's own node tree (Kubernetes, pkg/scheduler/backend/cache/node_tree.go).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace troupe::scheduling {

class NodeTree {
 public:
  void add(const std::string& zone, const std::string& node);
  /// Does nothing if the node is not there.
  void remove(const std::string& zone, const std::string& node);
  [[nodiscard]] std::vector<std::string> ordered() const;
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> zones_;
  std::size_t size_ = 0;
};

}  // namespace troupe::scheduling
