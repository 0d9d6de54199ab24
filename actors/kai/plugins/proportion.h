// Queues: what each is charged with, its fair share, who goes first, and what nobody may exceed
// (KAI, plugins/proportion).
//
// A limit binds everyone; a quota binds work that cannot be preempted, at every ancestor. The fair
// share orders queues and, in later actions, says who may take from whom: it does not cap what is
// allocated on idle room.
#pragma once

#include "actors/kai/plugin.h"

namespace troupe::kai {

class Proportion final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "proportion"; }
  void open(Session& session) override;

 private:
  void charge(Session& session);

  Quantities total_;  ///< of the nodes that are ready, less what other schedulers' pods use
};

}  // namespace troupe::kai
