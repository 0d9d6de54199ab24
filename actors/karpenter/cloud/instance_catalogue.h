// What the cloud offers, turned into instance types with labels and allocatable resources.
//
// Allocatable is Karpenter's own estimate from the catalogue, made before any node exists; a real
// kubelet may report less, and then the pod that was promised a place finds none
// (aws/karpenter-provider-aws#4452).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "actors/karpenter/cloud/unavailable_offerings.h"
#include "actors/karpenter/scheduling/instance_type.h"
#include "messages/hosts.pb.h"
#include "messages/karpenter.pb.h"

namespace troupe::karpenter {

class InstanceCatalogue {
 public:
  explicit InstanceCatalogue(const hosts::KarpenterConfig& config);

  [[nodiscard]] const std::vector<InstanceType>& types() const { return types_; }
  [[nodiscard]] const InstanceType* find(std::string_view name) const;
  /// Makes the availability of every offering what the cache says.
  void refresh(const UnavailableOfferings& unavailable);

 private:
  std::vector<InstanceType> types_;  ///< in order of names
};

/// The labels that a claim gets from the instance that was launched for it: those with one value
/// for that type, its zone and its capacity type.
[[nodiscard]] Requirements instance_labels(const InstanceType& type, std::string_view zone,
                                           std::string_view capacity_type);

}  // namespace troupe::karpenter
