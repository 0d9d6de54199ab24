// Stale gang eviction: a gang that lost members below its minimum and did not get them back within
// the grace period is deleted as a whole, whatever its priority (KAI, actions/stalegangeviction).
#pragma once

#include "actors/kai/action.h"

namespace troupe::kai {

class StaleGangEviction final : public Action {
 public:
  [[nodiscard]] std::string_view name() const override { return "stalegangeviction"; }
  void run(Session& session) override;
};

}  // namespace troupe::kai
