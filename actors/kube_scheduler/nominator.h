// Pods that preempted others and wait for the room: each is nominated to a node, and counts there
// for whoever is placed meanwhile and is not more important.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "actors/scheduling/pod_info.h"

namespace troupe::kube_scheduler {

class Nominator {
 public:
  /// Nominates the pod to the node, in place of where it was nominated before.
  void nominate(scheduling::PodPtr pod, const std::string& node);
  void withdraw(const std::string& uid);
  /// Takes over a new state of the pod, whose status names its node; one that names none is
  /// withdrawn.
  void update(const scheduling::PodPtr& pod);

  [[nodiscard]] std::span<const scheduling::PodPtr> on(const std::string& node) const;
  /// A nominated pod, or null.
  [[nodiscard]] scheduling::PodPtr find(const std::string& uid) const;
  /// The node that the pod is nominated to, or null.
  [[nodiscard]] const std::string* node_of(const std::string& uid) const;
  [[nodiscard]] bool empty() const { return by_uid_.empty(); }

 private:
  std::map<std::string, std::string> by_uid_;
  std::map<std::string, std::vector<scheduling::PodPtr>> by_node_;
};

}  // namespace troupe::kube_scheduler
