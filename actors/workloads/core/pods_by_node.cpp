#include "actors/workloads/core/pods_by_node.h"

#include "actors/api_client/object_key.h"

namespace troupe::workloads {

void PodsByNode::set(const PodPtr& pod) {
  const std::string path = path_of(pod->metadata());
  const std::string& node = pod->spec().node_name();
  const auto known = node_of_pod_.find(path);
  // A list may show another pod of the same name in the place of the first.
  if (known != node_of_pod_.end() && known->second != node) erase(*pod);
  if (node.empty()) return;
  node_of_pod_[path] = node;
  pods_[node][path] = pod;
}

void PodsByNode::erase(const k8s::Pod& pod) {
  const auto known = node_of_pod_.find(path_of(pod.metadata()));
  if (known == node_of_pod_.end()) return;
  const auto pods = pods_.find(known->second);
  pods->second.erase(known->first);
  if (pods->second.empty()) pods_.erase(pods);
  node_of_pod_.erase(known);
}

const PodsByNode::Pods& PodsByNode::on(const std::string& node) const {
  static const Pods none;
  const auto at = pods_.find(node);
  return at != pods_.end() ? at->second : none;
}

}  // namespace troupe::workloads
