#include "actors/scheduling/node_info.h"

#include <algorithm>

#include "messages/assert.h"

namespace troupe::scheduling {
namespace {

bool is_ready(const k8s::Node& node) {
  const auto& conditions = node.status().conditions();
  const auto at = std::find_if(conditions.begin(), conditions.end(),
                               [](const auto& condition) { return condition.type() == "Ready"; });
  return at != conditions.end() && at->status() == "True";
}

std::string zone_of(const LabelMap& labels) {
  const std::string_view region = label_or(labels, kRegionLabel);
  const std::string_view zone = label_or(labels, kZoneLabel);
  if (region.empty() && zone.empty()) return {};
  return std::string(region) + "/" + std::string(zone);
}

std::vector<ImageSize> images_of(const k8s::Node& node) {
  std::vector<ImageSize> images;
  for (const k8s::ContainerImage& image : node.status().images()) {
    for (const std::string& name : image.names()) images.push_back({name, image.size_bytes()});
  }
  std::stable_sort(images.begin(), images.end(),
                   [](const ImageSize& a, const ImageSize& b) { return a.name < b.name; });
  return images;
}

void erase_pod(std::vector<PodPtr>& pods, const std::string& uid) {
  std::erase_if(pods, [&uid](const PodPtr& pod) { return pod->uid() == uid; });
}

}  // namespace

const std::string* NodeFacts::label(std::string_view key) const {
  if (key == kHostnameLabel) return hostname_label;
  if (key == kZoneLabel) return zone_label;
  return find_label(labels(), key);
}

std::shared_ptr<const NodeFacts> facts_of(std::shared_ptr<const k8s::Node> node) {
  auto facts = std::make_shared<NodeFacts>();
  facts->allocatable = resources_of(node->status().allocatable());
  facts->zone = zone_of(node->metadata().labels());
  facts->zone_label = find_label(node->metadata().labels(), kZoneLabel);
  facts->hostname_label = find_label(node->metadata().labels(), kHostnameLabel);
  facts->unschedulable = node->spec().unschedulable();
  facts->ready = is_ready(*node);
  for (const k8s::Taint& taint : node->spec().taints()) {
    (is_hard(taint) ? facts->has_hard_taints : facts->has_soft_taints) = true;
  }
  facts->images = images_of(*node);
  facts->node = std::move(node);
  return facts;
}

void NodeInfo::add_pod(PodPtr pod) {
  requested_ += pod->requests;
  scored_milli_cpu_ += pod->scored_milli_cpu;
  scored_memory_bytes_ += pod->scored_memory_bytes;
  count(*pod, 1);
  if (pod->affinity) with_affinity_.push_back(pod);
  pods_.push_back(std::move(pod));
}

bool NodeInfo::remove_pod(const std::string& uid) {
  const auto at = std::find_if(pods_.begin(), pods_.end(),
                               [&uid](const PodPtr& pod) { return pod->uid() == uid; });
  if (at == pods_.end()) return false;
  const PodPtr pod = *at;
  pods_.erase(at);
  requested_ -= pod->requests;
  scored_milli_cpu_ -= pod->scored_milli_cpu;
  scored_memory_bytes_ -= pod->scored_memory_bytes;
  count(*pod, -1);
  if (pod->affinity) erase_pod(with_affinity_, uid);
  TROUPE_ASSERT(requested_.pods >= 0, "more pods taken off node " + name_ + " than were on it");
  return true;
}

void NodeInfo::count(const PodInfo& pod, int sign) {
  auto at = std::find_if(classes_.begin(), classes_.end(), [&pod](const ClassCount& one) {
    return one.label_class == pod.label_class;
  });
  if (at == classes_.end()) {
    classes_.push_back({pod.label_class, 0, 0});
    at = std::prev(classes_.end());
  }
  at->all += sign;
  if (!pod.terminating()) at->live += sign;
  if (at->all == 0) classes_.erase(at);
}

bool NodeInfo::port_conflicts(const HostPort& port) const {
  return std::any_of(pods_.begin(), pods_.end(), [&port](const PodPtr& pod) {
    return std::any_of(pod->host_ports.begin(), pod->host_ports.end(),
                       [&port](const HostPort& used) { return used.conflicts_with(port); });
  });
}

}  // namespace troupe::scheduling
