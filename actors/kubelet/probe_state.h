// What a series of probe answers says of a container: kubelet's prober worker, without its clock.
#pragma once

#include <cstdint>

#include "messages/k8s/container.pb.h"
#include "messages/sim_time.h"
#include "messages/workload.pb.h"

namespace troupe::kubelet {

class ProbeState {
 public:
  using Kind = workload::ProbeRequest::Kind;

  /// Unset fields have the API's defaults: delay 0 s, period 10 s, timeout 1 s, thresholds 1 and 3
  /// (core/v1 Probe).
  ProbeState(Kind kind, const k8s::Probe& probe);

  /// It had passed before it is asked: part of an initial state.
  void begin_passed() { passed_ = true; }
  /// Counts one answer (or the lack of one, as a failure). True if the verdict changed with it.
  bool record(bool success);
  /// Startup and readiness begin as failed, liveness as passed.
  [[nodiscard]] bool passed() const { return passed_; }
  /// The failures in a row have reached the threshold: for startup and liveness the container is to
  /// be restarted.
  [[nodiscard]] bool exhausted() const { return failures_ >= failure_threshold_; }

  [[nodiscard]] Duration initial_delay() const { return initial_delay_; }
  [[nodiscard]] Duration period() const { return period_; }
  [[nodiscard]] Duration timeout() const { return timeout_; }

 private:
  bool passed_;
  std::int32_t successes_ = 0;  ///< in a row
  std::int32_t failures_ = 0;   ///< in a row
  std::int32_t success_threshold_;
  std::int32_t failure_threshold_;
  Duration initial_delay_;
  Duration period_;
  Duration timeout_;
};

}  // namespace troupe::kubelet
