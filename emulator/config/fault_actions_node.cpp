// Faults of hosts, nodes, GPUs and pods.
#include <cstdlib>

#include "emulator/config/fault_actions.h"
#include "emulator/config/values.h"
#include "messages/fault.pb.h"
#include "messages/units.h"
#include "messages/workload.pb.h"

namespace troupe::config {
namespace {

constexpr std::uint32_t kFallenOffTheBus = 79;  // the XID of a GPU that is gone from PCIe
/// From power to a kubelet that answers: firmware, kernel and services of an 8-GPU server take
/// some minutes.
constexpr Duration kPowerOn = std::chrono::minutes(3);
/// What a person allows a node for a reboot.
constexpr Duration kReboot = std::chrono::minutes(2);
constexpr std::uint32_t kWholeClock = 1000;
/// 128 + SIGKILL.
constexpr std::int32_t kKilled = 137;

/// A host that is down for so long; for ever, if for 0.
FaultAction down_for(Duration length, bool restarts) {
  fault::CrashHost crash;
  crash.set_restarts(restarts);
  crash.set_restart_after_ns(length.count());
  return {.begin = Payload::of(crash)};
}

template <class Spec>
std::optional<std::uint32_t> gpu_of(const Spec& spec) {
  if (!spec.has_gpu()) return std::nullopt;
  return spec.gpu();
}

}  // namespace

FaultAction make_crash(const Fault& fault, const FaultSetting& setting) {
  const Duration restart = duration_or(fault.crash().restart_after(), setting.length);
  FaultAction action =
      down_for(restart, !fault.crash().restart_after().empty() || setting.length.count() > 0);
  action.named = fault.crash().host();
  action.named_path = "crash.host";
  if (!fault.crash().graceful()) return action;
  const std::string& host = action.named.empty() ? fault.target().host() : action.named;
  if (!host.starts_with("controller/")) {
    setting.problems.add(setting.path + ".graceful", "expected a controller");
  }
  fault::CrashHost told = *action.begin.as<fault::CrashHost>();
  told.set_graceful(true);
  action.begin = Payload::of(std::move(told));
  return action;
}

FaultAction make_leader_election_overlap(const Fault& fault, const FaultSetting&) {
  FaultAction action = with_heal(fault::HangElection{});
  const std::string& controller = fault.leader_election_overlap().controller();
  if (!controller.empty()) action.named = "controller/" + controller + "/*";
  action.named_path = "leaderElectionOverlap.controller";
  return action;
}

FaultAction make_node_crash(const Fault&, const FaultSetting& setting) {
  return down_for(setting.length, setting.length.count() > 0);
}

FaultAction make_power_loss(const Fault& fault, const FaultSetting& setting) {
  const Duration boot = duration_or(fault.node_power_loss().boot(), kPowerOn);
  return down_for(setting.length + boot, setting.length.count() > 0);
}

FaultAction make_reboot(const Fault& fault, const FaultSetting&) {
  return down_for(duration_or(fault.node_reboot().downtime(), kReboot), true);
}

FaultAction make_clock_skew(const Fault& fault, const FaultSetting& setting) {
  const std::string& text = fault.clock_skew().time_offset();
  const bool is_signed = text.starts_with('-') || text.starts_with('+');
  const Result<Duration> offset = parse_duration(is_signed ? text.substr(1) : text);
  if (!offset) {
    setting.problems.add(setting.path + ".timeOffset",
                         "expected a duration with a sign, \"-10m\" or \"+30s\"");
    return {};
  }
  fault::SkewClock skew;
  skew.set_offset_ns(text.starts_with('-') ? -offset->count() : offset->count());
  return {.begin = Payload::of(std::move(skew)),
          .end = Payload::of(fault::SkewClock{}),
          .named = fault.clock_skew().host(),
          .named_path = "clockSkew.host"};
}

FaultAction make_kubelet_hang(const Fault&, const FaultSetting&) {
  return with_heal(fault::HangKubelet{});
}

FaultAction make_device_plugin_down(const Fault&, const FaultSetting&) {
  return with_heal(fault::DropDevicePlugin{});
}

FaultAction make_image_pull_failure(const Fault& fault, const FaultSetting&) {
  fault::FailImagePulls fails;
  fails.set_image(fault.image_pull_failure().image());
  return with_heal(std::move(fails));
}

FaultAction make_gpu(const Fault& fault, const FaultSetting&) {
  const Fault::GpuFault& spec = fault.gpu();
  workload::FailGpu failure;
  failure.set_xid(spec.xid() == 0 ? kFallenOffTheBus : spec.xid());
  return {.begin = Payload::of(std::move(failure)),
          .end = Payload::of(workload::RepairGpu{}),
          .named = spec.node(),
          .named_path = "gpu.node",
          .gpu = spec.gpu(),  // the first, unless another is named
          .length = duration_or(spec.repair_after(), Duration::zero())};
}

FaultAction make_gpu_ecc(const Fault& fault, const FaultSetting&) {
  fault::DegradeEcc degrade;
  degrade.set_rows(std::max<std::uint32_t>(fault.gpu_ecc().rows(), 1));
  return {.begin = Payload::of(std::move(degrade)), .gpu = gpu_of(fault.gpu_ecc())};
}

FaultAction make_gpu_throttle(const Fault& fault, const FaultSetting& setting) {
  const std::uint32_t ppm =
      percent_ppm(fault.gpu_throttle().clock(), 0, setting.path + ".clock", setting.problems);
  fault::ThrottleGpu throttle;
  throttle.set_clock_permille(ppm / kWholeClock);
  if (throttle.clock_permille() == 0) {
    setting.problems.add(setting.path + ".clock", "expected at least 0.1%");
  }
  FaultAction action = with_heal(std::move(throttle));
  action.gpu = gpu_of(fault.gpu_throttle());
  return action;
}

FaultAction make_nvlink_down(const Fault& fault, const FaultSetting&) {
  FaultAction action = with_heal(fault::BreakNvlink{});
  action.gpu = gpu_of(fault.nvlink_down());
  return action;
}

FaultAction make_container_kill(const Fault& fault, const FaultSetting& setting) {
  const Fault::ContainerKill& spec = fault.container_kill();
  fault::KillContainer kill;
  kill.set_exit_code(spec.has_exit_code() ? spec.exit_code() : kKilled);
  kill.set_reason(spec.reason().empty() ? "Error" : spec.reason());
  if (kill.reason() == "OOMKilled" && kill.exit_code() != kKilled) {
    setting.problems.add(setting.path + ".exitCode",
                         "expected 137: the kernel's OOM killer sends SIGKILL");
  }
  if (kill.exit_code() < 0 || kill.exit_code() > 255) {
    setting.problems.add(setting.path + ".exitCode", "expected 0 to 255");
  }
  return {.begin = Payload::of(std::move(kill))};
}

FaultAction make_probe_failure(const Fault& fault, const FaultSetting&) {
  fault::FailProbes fails;
  for (const std::string& probe : fault.probe_failure().probes()) {
    fails.add_probes(probe == "startup"     ? workload::ProbeRequest::STARTUP
                     : probe == "readiness" ? workload::ProbeRequest::READINESS
                                            : workload::ProbeRequest::LIVENESS);
  }
  return with_heal(std::move(fails));
}

}  // namespace troupe::config
