// The provisioner: a batch of pods that no scheduler could place, a simulation, and the NodeClaims
// that it asks for.
//
// One loop, never two: while it decides and while its claims are being created, new pods wait. A
// batch that closes while a claim is still without its instance is dropped; its pods come back with
// the next look at them, ten seconds after the last. Karpenter v1, pkg/controllers/provisioning.
// It binds nothing: schedulers do, and they may see it otherwise.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "actors/api_client/token_bucket.h"
#include "actors/karpenter/controller.h"
#include "actors/karpenter/manager.h"
#include "actors/karpenter/provisioning/batcher.h"
#include "actors/karpenter/provisioning/plan.h"

namespace troupe::karpenter {

class Provisioner final : public KeyedController {
 public:
  /// pkg/controllers/provisioning/controller.go: a pod that still waits triggers again so often.
  static constexpr Duration kAgain = std::chrono::seconds(10);
  /// pkg/controllers/provisioning/scheduling: the time that one simulation may take.
  static constexpr Duration kSolveLimit = std::chrono::minutes(1);
  static constexpr Duration kBatchIdle = std::chrono::seconds(1);  ///< BATCH_IDLE_DURATION
  static constexpr Duration kBatchMax = std::chrono::seconds(10);  ///< BATCH_MAX_DURATION

  explicit Provisioner(Manager& manager);

 protected:
  /// A pod ("namespace/name") that may need capacity, or a node whose pods may.
  void reconcile(Context& context, const std::string& key) override;

 private:
  /// The uid to trigger with; empty if nothing is needed (any more).
  [[nodiscard]] std::string needy(const std::string& key) const;
  void arm(Context& context);
  void close_if_due(Context& context);
  void solve(Context& context);
  [[nodiscard]] std::vector<SimulatedPod> pods_to_place(SimTime now) const;
  void act(Context& context, const ProvisioningPlan& plan);
  void nominate(Context& context, const ProvisioningPlan& plan);
  void report_failures(Context& context, const ProvisioningPlan& plan);
  [[nodiscard]] bool pool_has_room(const std::string& name) const;
  void create(Context& context, const PlannedNode& node);
  void created(Context& context, const PlannedNode& node, const NodeClaim& claim);
  void answered(Context& context);
  void rest(Context& context);
  void tell_nomination(Context& context, const k8s::Pod& pod, const std::string& where);

  Manager& manager_;
  Batcher batcher_;
  bool armed_ = false;
  std::size_t open_ = 0;           ///< creations that are not answered yet
  TokenBucket nomination_events_;  ///< pkg/events: 5 a second, 10 at once
};

}  // namespace troupe::karpenter
