// Controllers with replicas: the election of their leader, and their hosts.
#pragma once

#include <optional>
#include <string>

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/hosts.pb.h"
#include "messages/plan.pb.h"
#include "messages/sim_time.h"

namespace troupe::config {

/// How a controller elects unless the scenario says otherwise.
struct ElectionDefaults {
  std::string name_space = "kube-system";  ///< of its Lease
  std::string lease;
  Duration retry_period = std::chrono::seconds(2);
  bool release_on_cancel = false;  ///< it gives the lease away when it is told to shut down
};

/// `spec` is a controller's part of the scenario, at `path`. Nothing for one that is alone and was
/// not told to elect.
template <class Spec>
[[nodiscard]] std::optional<hosts::LeaderElection> election_of(const Spec& spec,
                                                               const ElectionDefaults& defaults,
                                                               const std::string& path,
                                                               Problems& problems);

/// How many there are.
template <class Spec>
[[nodiscard]] std::uint32_t replicas_of(const Spec& spec) {
  return std::max<std::uint32_t>(spec.replicas(), 1);
}

[[nodiscard]] hosts::LeaderElection plan_election(const Election& spec,
                                                  const ElectionDefaults& defaults,
                                                  const std::string& path, Problems& problems);

template <class Spec>
std::optional<hosts::LeaderElection> election_of(const Spec& spec, const ElectionDefaults& defaults,
                                                 const std::string& path, Problems& problems) {
  if (spec.replicas() <= 1 && !spec.has_leader_election()) return std::nullopt;
  return plan_election(spec.leader_election(), defaults, path + ".leaderElection", problems);
}

/// The election that a planned host takes part in, if it does.
[[nodiscard]] std::optional<hosts::LeaderElection> planned_election(const plan::HostPlan& host);

}  // namespace troupe::config
