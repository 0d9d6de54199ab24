// The provisioner's window: pods that become pending together are placed together.
//
// A window opens with the first new trigger, stays open while new ones come within the idle time,
// and closes at the latest when its greatest length is over. A pod that triggers again extends
// nothing. A trigger that comes while the loop is solving stays armed: its window opens when the
// loop waits again. Karpenter v1, pkg/controllers/provisioning/batcher.go.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "messages/sim_time.h"

namespace troupe::karpenter {

class Batcher {
 public:
  /// BATCH_IDLE_DURATION is 1 s by default, BATCH_MAX_DURATION 10 s.
  Batcher(Duration idle, Duration longest) : idle_(idle), longest_(longest) {}

  /// Something needs capacity.
  void trigger(const std::string& uid, SimTime now);
  /// The loop waits for a batch.
  void wait(SimTime now);
  /// When the open window closes; nothing while none is open.
  [[nodiscard]] std::optional<SimTime> closes_at() const;
  /// Ends the window; the loop is busy until it waits again.
  void close();

 private:
  void open(SimTime now);

  Duration idle_;
  Duration longest_;
  bool waiting_ = true;
  bool armed_ = false;  ///< something triggered while the loop was busy
  std::set<std::string> seen_;
  std::optional<SimTime> opened_;
  SimTime last_trigger_ = kTimeZero;
};

}  // namespace troupe::karpenter
