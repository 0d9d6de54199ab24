#include "actors/kube_scheduler/nominator.h"

#include <utility>

namespace troupe::kube_scheduler {

void Nominator::nominate(scheduling::PodPtr pod, const std::string& node) {
  withdraw(pod->uid());
  by_uid_[pod->uid()] = node;
  by_node_[node].push_back(std::move(pod));
}

void Nominator::withdraw(const std::string& uid) {
  const auto at = by_uid_.find(uid);
  if (at == by_uid_.end()) return;
  auto& pods = by_node_.at(at->second);
  std::erase_if(pods, [&uid](const scheduling::PodPtr& pod) { return pod->uid() == uid; });
  if (pods.empty()) by_node_.erase(at->second);
  by_uid_.erase(at);
}

void Nominator::update(const scheduling::PodPtr& pod) {
  const std::string& node = pod->pod->status().nominated_node_name();
  if (node.empty()) {
    withdraw(pod->uid());
  } else {
    nominate(pod, node);
  }
}

std::span<const scheduling::PodPtr> Nominator::on(const std::string& node) const {
  const auto at = by_node_.find(node);
  return at != by_node_.end() ? std::span<const scheduling::PodPtr>(at->second)
                              : std::span<const scheduling::PodPtr>();
}

scheduling::PodPtr Nominator::find(const std::string& uid) const {
  const std::string* node = node_of(uid);
  if (node == nullptr) return nullptr;
  for (const scheduling::PodPtr& pod : by_node_.at(*node)) {
    if (pod->uid() == uid) return pod;
  }
  return nullptr;
}

const std::string* Nominator::node_of(const std::string& uid) const {
  const auto at = by_uid_.find(uid);
  return at != by_uid_.end() ? &at->second : nullptr;
}

}  // namespace troupe::kube_scheduler
