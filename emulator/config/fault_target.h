// Whom a fault means: among the hosts of the plan, or as something for the director to look for.
#pragma once

#include <string>
#include <vector>

#include "emulator/config/fault_frame.h"

namespace troupe::config {

struct FaultTargets {
  /// The plan knows them: `paths` are all that fit. Else the director looks for `sought`.
  bool known = false;
  std::vector<std::string> paths;
  fault::Target sought;
};

class TargetResolver {
 public:
  TargetResolver(const Inputs& inputs, const plan::RunPlan& plan, Problems& problems)
      : inputs_(inputs), plan_(plan), problems_(problems) {}

  [[nodiscard]] FaultTargets resolve(const Fault& fault, const FaultFrame& frame,
                                     const FaultKind& kind, const FaultAction& action) const;
  /// The hosts of the plan that fit; a problem at `path` if nothing does.
  [[nodiscard]] std::vector<std::string> hosts(const std::string& pattern,
                                               const std::string& path) const;
  /// True if a host of the plan fits.
  [[nodiscard]] bool any(const std::string& pattern) const;
  [[nodiscard]] bool has_cloud() const { return inputs_.topology.has_cloud(); }

 private:
  void check_fields(const FaultTarget& target, FaultScope scope, const std::string& path) const;
  void read_mode(const FaultTarget& target, bool exact, const std::string& path,
                 fault::Target& sought) const;
  [[nodiscard]] FaultTargets of_nodes(const Fault& fault, const FaultFrame& frame,
                                      const FaultKind& kind, const FaultAction& action) const;
  [[nodiscard]] FaultTargets of_pods(const Fault& fault, const FaultFrame& frame) const;
  /// Of hosts that elect a leader: that one, or the replica that was named.
  [[nodiscard]] FaultTargets of_election(const Fault& fault, const FaultFrame& frame,
                                         FaultTargets targets) const;
  [[nodiscard]] FaultTargets of_processes(const Fault& fault, const FaultFrame& frame,
                                          const FaultKind& kind, const FaultAction& action) const;
  void check_named_by_fact(const FaultFrame& frame, const char* field) const;
  [[nodiscard]] std::vector<std::string> gpus_of(const std::string& node,
                                                 std::optional<std::uint32_t> gpu,
                                                 const std::string& path) const;
  [[nodiscard]] bool may_come(const std::string& host) const {
    return has_cloud() && host.starts_with("node/");
  }

  const Inputs& inputs_;
  const plan::RunPlan& plan_;
  Problems& problems_;
};

}  // namespace troupe::config
