// A controller of which there are several replicas, and one that acts.
//
// The controller itself begins when its replica leads, so its caches are filled then: as
// kube-controller-manager and KAI's scheduler do it. One whose lease is lost exits, as theirs do,
// and its kubelet starts it again.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "actors/actor.h"
#include "actors/api_client/election.h"

namespace troupe {

class ElectedController final : public Actor {
 public:
  using Build = std::function<std::unique_ptr<Actor>()>;

  ElectedController(const hosts::LeaderElection& config, Build build);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  void lead(Context& context);

  Election election_;
  Build build_;
  std::unique_ptr<Actor> controller_;  ///< while it leads
  std::optional<Delivery> restored_;   ///< what an earlier process had persisted
};

/// The election of a host with replicas; null for one that is alone.
[[nodiscard]] const hosts::LeaderElection* election_of(const Payload& host_start);

}  // namespace troupe
