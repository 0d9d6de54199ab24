// A pod inside a simulation: what it asks for, and how far its preferences have been given up.
//
// Karpenter treats every preference as a requirement at first and drops them one at a time until
// the pod fits. So a simulated pod owns a copy of the parts of its spec that relaxing changes, and
// re-reads its requirements after each step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/karpenter/scheduling/host_ports.h"
#include "actors/karpenter/scheduling/requirements.h"
#include "actors/karpenter/scheduling/resources.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::karpenter {

enum class PreferencePolicy : std::uint8_t { Respect, Ignore };

class SimulatedPod {
 public:
  /// `volumes`: the alternatives that the zones of its volumes leave, none if they leave all.
  SimulatedPod(std::shared_ptr<const k8s::Pod> pod, std::vector<Requirements> volumes,
               PreferencePolicy policy = PreferencePolicy::Respect);

  [[nodiscard]] const k8s::Pod& pod() const { return *pod_; }
  [[nodiscard]] const std::shared_ptr<const k8s::Pod>& shared() const { return pod_; }
  [[nodiscard]] const std::string& uid() const { return pod_->metadata().uid(); }
  [[nodiscard]] const k8s::Affinity& affinity() const { return affinity_; }
  [[nodiscard]] const google::protobuf::RepeatedPtrField<k8s::Toleration>& tolerations() const {
    return tolerations_;
  }
  [[nodiscard]] const google::protobuf::RepeatedPtrField<k8s::TopologySpreadConstraint>& spreads()
      const {
    return spreads_;
  }

  [[nodiscard]] const Resources& requests() const { return requests_; }
  [[nodiscard]] const std::vector<HostPort>& ports() const { return ports_; }
  [[nodiscard]] const std::vector<Requirements>& volumes() const { return volumes_; }
  /// Node selector, the first required term, and the heaviest preferred one.
  [[nodiscard]] const Requirements& requirements() const { return requirements_; }
  /// The same without the preferred term: what decides over the domains of a topology.
  [[nodiscard]] const Requirements& strict_requirements() const { return strict_; }

  /// Gives up the next constraint in Karpenter's order; what it was, or nothing if none is left to
  /// give up.
  std::optional<std::string> relax(bool tolerate_prefer_no_schedule);

 private:
  void read_requirements();

  std::shared_ptr<const k8s::Pod> pod_;
  PreferencePolicy policy_;
  k8s::Affinity affinity_;
  google::protobuf::RepeatedPtrField<k8s::Toleration> tolerations_;
  google::protobuf::RepeatedPtrField<k8s::TopologySpreadConstraint> spreads_;
  Resources requests_;
  std::vector<HostPort> ports_;
  std::vector<Requirements> volumes_;
  Requirements requirements_;
  Requirements strict_;
};

/// The requirements of a pod without its preferences.
[[nodiscard]] Requirements strict_requirements_of(const k8s::PodSpec& spec);

}  // namespace troupe::karpenter
