// What Karpenter cleans up from time to time: claims whose instance is gone, and instances that no
// claim stands for.
//
// The first happens when a cloud takes a machine away; the second when a claim was deleted while
// its launch was under way. Karpenter v1, pkg/controllers/nodeclaim/garbagecollection, and the
// controller of that name of Karpenter for AWS.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "actors/karpenter/controller.h"
#include "actors/karpenter/manager.h"

namespace troupe::karpenter {

class GarbageCollector final : public Controller {
 public:
  static constexpr Duration kClaimPeriod = std::chrono::minutes(2);
  /// Instances are looked at often at first, since a restart is when they are lost.
  static constexpr Duration kFirstInstancePeriod = std::chrono::seconds(10);
  static constexpr Duration kInstancePeriod = std::chrono::minutes(2);
  static constexpr std::uint32_t kFirstLooks = 20;
  /// A younger instance may have a claim that does not know of it yet.
  static constexpr Duration kYoung = std::chrono::seconds(30);

  explicit GarbageCollector(Manager& manager) : manager_(manager) {}

  void start(Context& context) override;

 private:
  void look_at_claims(Context& context);
  void collect_claims(Context& context, const std::set<std::string>& suspects,
                      const cloud::DescribeInstancesReply& reply);
  void look_at_instances(Context& context);
  void collect_instances(Context& context, const cloud::DescribeInstancesReply& reply);

  Manager& manager_;
  std::uint32_t looks_ = 0;
};

}  // namespace troupe::karpenter
