// Karpenter: one process of several loops, at `controller/karpenter/0`.
//
// Provisioning and disruption each run one at a time on a picture of the cluster that they share;
// the life of claims and the end of nodes run many at a time. Everything that it knows it has from
// list and watch, so a process that begins anew goes on where the former one stopped: a launch is
// repeated with the claim's own token, which gives the same instance.
#pragma once

#include <memory>
#include <vector>

#include "actors/actor.h"
#include "actors/karpenter/controller.h"
#include "actors/karpenter/lifecycle/pool_health.h"
#include "actors/karpenter/manager.h"
#include "messages/hosts.pb.h"

namespace troupe::karpenter {

class KarpenterActor final : public Actor {
 public:
  explicit KarpenterActor(const hosts::KarpenterConfig& config);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  Manager manager_;
  PoolHealthTracker health_;
  std::vector<std::unique_ptr<Controller>> controllers_;
};

/// The builder of the host kind "karpenter": attachment 0 of HostStart is a hosts::KarpenterConfig.
[[nodiscard]] std::unique_ptr<Actor> make_karpenter(const Payload& host_start);

}  // namespace troupe::karpenter
