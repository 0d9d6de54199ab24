#include "actors/scheduling/node_tree.h"

#include <algorithm>

namespace troupe::scheduling {
namespace {

auto find_zone(auto& zones, const std::string& name) {
  return std::find_if(zones.begin(), zones.end(),
                      [&name](const auto& zone) { return zone.first == name; });
}

}  // namespace

void NodeTree::add(const std::string& zone, const std::string& node) {
  auto at = find_zone(zones_, zone);
  if (at == zones_.end()) at = zones_.insert(zones_.end(), {zone, {}});
  at->second.push_back(node);
  ++size_;
}

void NodeTree::remove(const std::string& zone, const std::string& node) {
  const auto at = find_zone(zones_, zone);
  if (at == zones_.end()) return;
  const std::size_t gone = std::erase(at->second, node);
  size_ -= gone;
  if (at->second.empty()) zones_.erase(at);
}

std::vector<std::string> NodeTree::ordered() const {
  std::vector<std::string> order;
  order.reserve(size_);
  for (std::size_t turn = 0; order.size() < size_; ++turn) {
    for (const auto& [zone, nodes] : zones_) {
      if (turn < nodes.size()) order.push_back(nodes[turn]);
    }
  }
  return order;
}

}  // namespace troupe::scheduling
