// The first step of a NodeClaim's life: what to ask the cloud for, and what its answer makes of the
// claim.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/karpenter/cloud/instance_catalogue.h"
#include "messages/cloud.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/result.h"

namespace troupe::karpenter {

/// Karpenter for AWS, pkg/providers/instance/instance.go: maxInstanceTypes of one CreateFleet call.
inline constexpr std::size_t kMaxLaunchTypes = 60;

/// The fleet call for a claim: the cheapest types, one capacity type (reserved before spot before
/// on-demand), the zones that offer them. An error if nothing that the claim allows is available:
/// that is a lack of capacity as well.
[[nodiscard]] Result<cloud::LaunchInstance> launch_request(const NodeClaim& claim,
                                                           const InstanceCatalogue& catalogue);

/// The instance is there: provider id, resources, labels, Launched.
void record_launch(NodeClaim& claim, const cloud::Instance& instance,
                   const InstanceCatalogue& catalogue, SimTime now);
/// The call failed for another reason than capacity: Launched stays unknown, with the reason.
void record_launch_failure(NodeClaim& claim, const std::string& error, SimTime now);

/// Offerings that the reply says are dry.
[[nodiscard]] std::vector<UnavailableOfferings::Key> dry_offerings(
    const cloud::LaunchInstanceReply& reply);
/// Nothing was launched, and every pool that was tried lacked capacity.
[[nodiscard]] bool is_insufficient_capacity(const cloud::LaunchInstanceReply& reply);

}  // namespace troupe::karpenter
