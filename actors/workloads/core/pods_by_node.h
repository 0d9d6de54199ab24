// The pods of the cluster by the node that they are bound to.
#pragma once

#include <map>
#include <string>

#include "actors/workloads/core/pod_index.h"

namespace troupe::workloads {

class PodsByNode {
 public:
  /// In order of "namespace/name".
  using Pods = std::map<std::string, PodPtr>;

  void set(const PodPtr& pod);
  void erase(const k8s::Pod& pod);
  [[nodiscard]] const Pods& on(const std::string& node) const;
  /// Every node that a pod is bound to, whether there is such a node or not.
  [[nodiscard]] const std::map<std::string, Pods>& all() const { return pods_; }

 private:
  std::map<std::string, Pods> pods_;
  std::map<std::string, std::string> node_of_pod_;  ///< pod path -> its node
};

}  // namespace troupe::workloads
