#include "actors/kubelet/probe_state.h"

namespace troupe::kubelet {
namespace {

constexpr std::int32_t kSuccessThreshold = 1;
constexpr std::int32_t kFailureThreshold = 3;
constexpr std::int32_t kPeriodSeconds = 10;
constexpr std::int32_t kTimeoutSeconds = 1;

Duration seconds_or(bool given, std::int32_t seconds, std::int32_t otherwise) {
  return std::chrono::seconds(given ? seconds : otherwise);
}

}  // namespace

ProbeState::ProbeState(Kind kind, const k8s::Probe& probe)
    : passed_(kind == workload::ProbeRequest::LIVENESS),
      success_threshold_(probe.has_success_threshold() ? probe.success_threshold()
                                                       : kSuccessThreshold),
      failure_threshold_(probe.has_failure_threshold() ? probe.failure_threshold()
                                                       : kFailureThreshold),
      initial_delay_(std::chrono::seconds(probe.initial_delay_seconds())),
      period_(seconds_or(probe.has_period_seconds(), probe.period_seconds(), kPeriodSeconds)),
      timeout_(seconds_or(probe.has_timeout_seconds(), probe.timeout_seconds(), kTimeoutSeconds)) {}

bool ProbeState::record(bool success) {
  successes_ = success ? successes_ + 1 : 0;
  failures_ = success ? 0 : failures_ + 1;
  const bool before = passed_;
  if (successes_ >= success_threshold_) passed_ = true;
  if (failures_ >= failure_threshold_) passed_ = false;
  return passed_ != before;
}

}  // namespace troupe::kubelet
