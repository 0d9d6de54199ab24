// Whether a pod may run on a node: its queue's bounds, the node's state, and kube-scheduler's
// filters (KAI, plugins/predicates).
#pragma once

#include "actors/kai/plugin.h"

namespace troupe::kai {

class Predicates final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "predicates"; }
  void open(Session& session) override;
};

}  // namespace troupe::kai
