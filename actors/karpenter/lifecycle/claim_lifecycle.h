// The life of a NodeClaim: launched, registered, initialized, or given up; and its end.
//
// One look at a claim goes through all steps, each of which may wait for the cloud or the API
// server, and writes the claim once at its end. What it finds it finds in the caches, which are
// late, so every write names the version that it is about, and after one the loop rests for a
// second lest it take its own work for undone. Karpenter v1, pkg/controllers/nodeclaim/lifecycle.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "actors/karpenter/controller.h"
#include "actors/karpenter/lifecycle/pool_health.h"
#include "actors/karpenter/manager.h"
#include "actors/karpenter/termination/claim_finalizer.h"

namespace troupe::karpenter {

class ClaimLifecycle final : public KeyedController {
 public:
  /// pkg/controllers/nodeclaim/lifecycle/controller.go: the sleep after a patch.
  static constexpr Duration kRest = std::chrono::seconds(1);

  /// `health` hears how registrations end.
  ClaimLifecycle(Manager& manager, PoolHealthTracker& health);

 protected:
  void reconcile(Context& context, const std::string& name) override;

 private:
  using NodePtr = std::shared_ptr<const k8s::Node>;

  /// One look at one claim, on its way.
  struct Pass {
    std::string name;
    std::shared_ptr<const NodeClaim> stored;
    NodeClaim claim;
    NodePtr node;
    Outcome outcome;
  };
  using PassPtr = std::shared_ptr<Pass>;

  void watch_nodes();
  void add_finalizer(Context& context, const PassPtr& pass);
  void launch(Context& context, const PassPtr& pass);
  void take_launch(Context& context, const PassPtr& pass, const cloud::LaunchInstanceReply* reply);
  void register_node(Context& context, const PassPtr& pass);
  void registered(Context& context, const PassPtr& pass, const ApiResult& result);
  void initialize(Context& context, const PassPtr& pass);
  void check_life(Context& context, const PassPtr& pass);
  void give_up(Context& context, const PassPtr& pass, std::string_view reason);
  void write_metadata(Context& context, const PassPtr& pass);
  void write_status(Context& context, const PassPtr& pass, bool wrote);
  void end(Context& context, const PassPtr& pass, bool wrote);
  void record_health(const NodeClaim& claim, bool success);

  Manager& manager_;
  PoolHealthTracker& health_;
  ClaimFinalizer finalizer_;
  /// By the claim's uid, until the claim's status says so: a write that failed launches nothing
  /// anew.
  std::map<std::string, cloud::Instance> launched_;
};

}  // namespace troupe::karpenter
