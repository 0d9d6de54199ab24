// The plugins that score nodes (KAI,
// plugins/{nodeavailability,resourcetype,nominatednode,nodeplacement}).
#pragma once

#include "actors/kai/plugin.h"

namespace troupe::kai {

/// Nodes that have the room now before those that are being vacated.
class NodeAvailability final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "nodeavailability"; }
  void open(Session& session) override;
};

/// A pod without GPU on a node without one.
class ResourceType final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "resourcetype"; }
  void open(Session& session) override;
};

/// The node that the pod's status.nominatedNodeName names.
class NominatedNode final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "nominatednode"; }
  void open(Session& session) override;
};

/// Packs: the fuller the node, the more of 0 to 9 points. Or spreads: the emptier, the more of 0
/// to 1.
class NodePlacement final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "nodeplacement"; }
  void open(Session& session) override;

 private:
  struct Range {
    std::int64_t least = 0;
    std::int64_t most = 0;
  };
  [[nodiscard]] std::int64_t score(const Session& session, const Task& task,
                                   const NodeState& node) const;

  Range range_;  ///< of what is free on the candidates for the task in hand
};

}  // namespace troupe::kai
