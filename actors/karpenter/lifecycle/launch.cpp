#include "actors/karpenter/lifecycle/launch.h"

#include <algorithm>
#include <array>
#include <set>

#include "actors/karpenter/lifecycle/condition_types.h"
#include "actors/karpenter/scheduling/labels.h"
#include "actors/workloads/objects/metadata.h"
#include "actors/workloads/objects/taints.h"

namespace troupe::karpenter {
namespace {

/// Karpenter cuts longer messages off. Karpenter v1, pkg/controllers/nodeclaim/lifecycle/launch.go:
/// truncateMessage.
constexpr std::size_t kMessageLength = 300;

/// EC2's codes for a pool that has nothing left. Karpenter for AWS, pkg/errors/errors.go:
/// unfulfillableCapacityErrorCodes.
constexpr std::array<std::string_view, 8> kCapacityCodes = {"InsufficientInstanceCapacity",
                                                            "MaxSpotInstanceCountExceeded",
                                                            "VcpuLimitExceeded",
                                                            "UnfulfillableCapacity",
                                                            "Unsupported",
                                                            "InsufficientFreeAddressesInSubnet",
                                                            "MaxFleetCountExceeded",
                                                            "ReservationCapacityExceeded"};

bool is_capacity_code(std::string_view code) {
  return std::ranges::find(kCapacityCodes, code) != kCapacityCodes.end();
}

InstanceTypes allowed_types(const Requirements& wanted, const InstanceCatalogue& catalogue,
                            const Resources& requests) {
  InstanceTypes result;
  for (const InstanceType& type : catalogue.types()) {
    if (type.requirements.intersects(wanted) && type.allocatable.fits(requests) &&
        type.cheapest(wanted) != nullptr) {
      result.push_back(&type);
    }
  }
  return ordered_by_price(std::move(result), wanted);
}

Requirements narrowed_to(const Requirements& wanted, std::string_view capacity_type) {
  Requirements result = wanted;
  result.add(ValueSet(kCapacityTypeLabel, Operator::In, {std::string(capacity_type)}));
  return result;
}

bool offers(const InstanceTypes& types, const Requirements& wanted) {
  return std::ranges::any_of(
      types, [&wanted](const InstanceType* type) { return type->cheapest(wanted) != nullptr; });
}

}  // namespace

Result<cloud::LaunchInstance> launch_request(const NodeClaim& claim,
                                             const InstanceCatalogue& catalogue) {
  const Requirements wanted = Requirements::of(claim.spec().requirements());
  const InstanceTypes types =
      allowed_types(wanted, catalogue, Resources::of(claim.spec().resources().requests()));
  for (const std::string_view capacity_type :
       {kCapacityReserved, kCapacitySpot, kCapacityOnDemand}) {
    const Requirements narrowed = narrowed_to(wanted, capacity_type);
    if (!offers(types, narrowed)) continue;

    cloud::LaunchInstance request;
    request.set_client_token(claim.metadata().uid());
    request.set_node(claim.metadata().name());
    request.set_node_pool(std::string(label_or(claim.metadata().labels(), kNodePoolLabel)));
    request.add_capacity_types(std::string(capacity_type));
    std::set<std::string> zones;
    for (const InstanceType* type : ordered_by_price(types, narrowed)) {
      if (type->cheapest(narrowed) == nullptr) continue;
      if (request.instance_types_size() == static_cast<int>(kMaxLaunchTypes)) break;
      request.add_instance_types(type->name);
      for (const Offering& offering : type->offerings) {
        if (offering.available &&
            narrowed.is_compatible(offering.requirements, Undefined::WellKnownAllowed)) {
          zones.insert(offering.zone);
        }
      }
    }
    for (const std::string& zone : zones) request.add_zones(zone);
    for (const k8s::KeyValue& label : claim.metadata().labels()) {
      auto& added = *request.add_labels();
      added.set_key(label.key());
      added.set_value(label.value());
    }
    const auto add_taint = [&request](const k8s::Taint& taint) {
      auto& added = *request.add_taints();
      added.set_key(taint.key());
      added.set_value(taint.value());
      added.set_effect(taint.effect());
    };
    for (const k8s::Taint& taint : claim.spec().taints()) add_taint(taint);
    for (const k8s::Taint& taint : claim.spec().startup_taints()) add_taint(taint);
    add_taint(make_taint(kUnregisteredTaint, kNoExecute));
    return request;
  }
  return fail("all requested instance types were unavailable during launch");
}

void record_launch(NodeClaim& claim, const cloud::Instance& instance,
                   const InstanceCatalogue& catalogue, SimTime now) {
  NodeClaimStatus& status = *claim.mutable_status();
  status.set_provider_id(instance.id());
  if (const InstanceType* type = catalogue.find(instance.instance_type())) {
    *status.mutable_capacity() = type->capacity.to_list();
    *status.mutable_allocatable() = type->allocatable.to_list();
    LabelMap& labels = *claim.mutable_metadata()->mutable_labels();
    const Requirements resolved = instance_labels(*type, instance.zone(), instance.capacity_type());
    for (const ValueSet& set : resolved.all()) {
      // What the user wrote in the pool's template stands.
      if (find_label(labels, set.key()) == nullptr)
        set_label(labels, set.key(), set.values().front());
    }
  }
  set_true(claim, kLaunched, now);
}

void record_launch_failure(NodeClaim& claim, const std::string& error, SimTime now) {
  const std::string message =
      error.size() < kMessageLength ? error : error.substr(0, kMessageLength) + "...";
  set_unknown(claim, kLaunched, "LaunchFailed", message, now);
}

std::vector<UnavailableOfferings::Key> dry_offerings(const cloud::LaunchInstanceReply& reply) {
  std::vector<UnavailableOfferings::Key> keys;
  for (const cloud::OfferingError& error : reply.errors()) {
    if (is_capacity_code(error.code())) {
      keys.push_back({error.instance_type(), error.zone(), error.capacity_type()});
    }
  }
  return keys;
}

bool is_insufficient_capacity(const cloud::LaunchInstanceReply& reply) {
  return is_capacity_code(reply.error()) &&
         std::ranges::all_of(reply.errors(), [](const cloud::OfferingError& error) {
           return is_capacity_code(error.code());
         });
}

}  // namespace troupe::karpenter
