// Those who watch a run: invariants, expectations, the journal, the report. They fold facts in key
// order, never send to an actor and never enter a digest, so looking does not change a run.
#pragma once

#include <string>

#include "emulator/runtime/digest.h"
#include "emulator/runtime/order_key.h"
#include "messages/payload.h"

namespace troupe {

/// A fact with the place in the total order where it became true.
struct FactRecord {
  OrderKey key;              ///< of the delivery whose handler emitted it
  const std::string& actor;  ///< path of the emitter
  const Payload& fact;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_fact(const FactRecord& record) = 0;
  /// Once per virtual second that had events, and at the end.
  virtual void on_checkpoint(SimTime, const Digest&) {}
};

}  // namespace troupe
