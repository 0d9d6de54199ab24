// From a fault of a scenario to the message that brings it about.
#pragma once

#include <utility>

#include "emulator/config/fault_kinds.h"

namespace troupe::config {

/// A message with a flag `heal` that ends what it began.
template <class Message>
FaultAction with_heal(Message message) {
  FaultAction action{.begin = Payload::of(message)};
  message.set_heal(true);
  action.end = Payload::of(std::move(message));
  return action;
}

// fault_actions_node.cpp
FaultAction make_crash(const Fault& fault, const FaultSetting& setting);
FaultAction make_leader_election_overlap(const Fault& fault, const FaultSetting& setting);
FaultAction make_node_crash(const Fault& fault, const FaultSetting& setting);
FaultAction make_power_loss(const Fault& fault, const FaultSetting& setting);
FaultAction make_reboot(const Fault& fault, const FaultSetting& setting);
FaultAction make_clock_skew(const Fault& fault, const FaultSetting& setting);
FaultAction make_kubelet_hang(const Fault& fault, const FaultSetting& setting);
FaultAction make_device_plugin_down(const Fault& fault, const FaultSetting& setting);
FaultAction make_image_pull_failure(const Fault& fault, const FaultSetting& setting);
FaultAction make_gpu(const Fault& fault, const FaultSetting& setting);
FaultAction make_gpu_ecc(const Fault& fault, const FaultSetting& setting);
FaultAction make_gpu_throttle(const Fault& fault, const FaultSetting& setting);
FaultAction make_nvlink_down(const Fault& fault, const FaultSetting& setting);
FaultAction make_container_kill(const Fault& fault, const FaultSetting& setting);
FaultAction make_probe_failure(const Fault& fault, const FaultSetting& setting);

// fault_actions_cluster.cpp
FaultAction make_interrupt(const Fault& fault, const FaultSetting& setting);
FaultAction make_pool_capacity(const Fault& fault, const FaultSetting& setting);
FaultAction make_insufficient_capacity(const Fault& fault, const FaultSetting& setting);
FaultAction make_boot_delay(const Fault& fault, const FaultSetting& setting);
FaultAction make_boot_failure(const Fault& fault, const FaultSetting& setting);
FaultAction make_registration_failure(const Fault& fault, const FaultSetting& setting);
FaultAction make_device_plugin_delay(const Fault& fault, const FaultSetting& setting);
FaultAction make_api_server_latency(const Fault& fault, const FaultSetting& setting);
FaultAction make_api_server_unavailable(const Fault& fault, const FaultSetting& setting);
FaultAction make_api_server_throttle(const Fault& fault, const FaultSetting& setting);
FaultAction make_webhook_refusal(const Fault& fault, const FaultSetting& setting);
FaultAction make_bind_rejection(const Fault& fault, const FaultSetting& setting);
FaultAction make_watch_cache_lag(const Fault& fault, const FaultSetting& setting);
FaultAction make_watch_drop(const Fault& fault, const FaultSetting& setting);
FaultAction make_watch_expired(const Fault& fault, const FaultSetting& setting);
FaultAction make_metrics_gap(const Fault& fault, const FaultSetting& setting);
FaultAction make_metrics_freeze(const Fault& fault, const FaultSetting& setting);
FaultAction make_load_spike(const Fault& fault, const FaultSetting& setting);

// fault_actions_process.cpp
FaultAction make_process_kill(const Fault& fault, const FaultSetting& setting);
FaultAction make_process_pause(const Fault& fault, const FaultSetting& setting);
FaultAction make_disk_fill(const Fault& fault, const FaultSetting& setting);

}  // namespace troupe::config
