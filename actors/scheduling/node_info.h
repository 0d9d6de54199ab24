// A node as placement sees it: what it has, what the pods on it ask for, and indexes for the
// filters.
//
// What comes from the Node object alone is derived once and shared (NodeFacts), so that copying a
// NodeInfo into a snapshot copies the pods' side only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "actors/scheduling/pod_info.h"

namespace troupe::scheduling {

struct ImageSize {
  std::string name;
  std::int64_t bytes = 0;
};

/// What a Node object says.
struct NodeFacts {
  std::shared_ptr<const k8s::Node> node;
  Resources allocatable;
  std::string zone;  ///< region and zone, empty where the node has neither label
  const std::string* zone_label = nullptr;
  const std::string* hostname_label = nullptr;
  bool unschedulable = false;  ///< cordoned
  bool ready = false;          ///< its Ready condition is True
  bool has_hard_taints = false;
  bool has_soft_taints = false;
  std::vector<ImageSize> images;  ///< sorted by name

  [[nodiscard]] const std::string& name() const { return node->metadata().name(); }
  [[nodiscard]] const LabelMap& labels() const { return node->metadata().labels(); }
  [[nodiscard]] const TaintList& taints() const { return node->spec().taints(); }
  /// The value of a label of the node, or null; the two that every spread asks for cost nothing.
  [[nodiscard]] const std::string* label(std::string_view key) const;
};

[[nodiscard]] std::shared_ptr<const NodeFacts> facts_of(std::shared_ptr<const k8s::Node> node);

class NodeInfo {
 public:
  /// How many pods of one label class are on the node.
  struct ClassCount {
    LabelClass label_class = 0;
    std::int32_t all = 0;
    std::int32_t live = 0;  ///< without those that are being deleted
  };

  explicit NodeInfo(std::string name) : name_(std::move(name)) {}

  void set_facts(std::shared_ptr<const NodeFacts> facts) { facts_ = std::move(facts); }
  void clear_facts() { facts_ = nullptr; }
  void add_pod(PodPtr pod);
  /// Takes off the pod of that uid; false if it is not here.
  bool remove_pod(const std::string& uid);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// False while only pods that name the node were seen, not the node.
  [[nodiscard]] bool exists() const { return facts_ != nullptr; }
  /// Only of a node that exists.
  [[nodiscard]] const NodeFacts& facts() const { return *facts_; }
  [[nodiscard]] const std::shared_ptr<const NodeFacts>& shared_facts() const { return facts_; }
  [[nodiscard]] const Resources& allocatable() const { return facts_->allocatable; }
  [[nodiscard]] const Resources& requested() const { return requested_; }
  [[nodiscard]] std::int64_t scored_milli_cpu() const { return scored_milli_cpu_; }
  [[nodiscard]] std::int64_t scored_memory_bytes() const { return scored_memory_bytes_; }
  [[nodiscard]] std::span<const PodPtr> pods() const { return pods_; }
  [[nodiscard]] std::span<const ClassCount> classes() const { return classes_; }
  /// Pods with any term of pod affinity or anti-affinity.
  [[nodiscard]] std::span<const PodPtr> pods_with_affinity() const { return with_affinity_; }
  [[nodiscard]] bool port_conflicts(const HostPort& port) const;

 private:
  void count(const PodInfo& pod, int sign);

  std::string name_;
  std::shared_ptr<const NodeFacts> facts_;
  Resources requested_;
  std::int64_t scored_milli_cpu_ = 0;
  std::int64_t scored_memory_bytes_ = 0;
  std::vector<PodPtr> pods_;
  std::vector<PodPtr> with_affinity_;
  std::vector<ClassCount> classes_;
};

}  // namespace troupe::scheduling
