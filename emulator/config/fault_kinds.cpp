#include "emulator/config/fault_kinds.h"

#include <array>
#include <cmath>

#include "emulator/config/fault_actions.h"
#include "messages/units.h"

namespace troupe::config {
namespace {

constexpr bool kHeals = true;
constexpr bool kOnce = false;
constexpr bool kOfMessages = true;
constexpr bool kOfTargets = false;

// By what they befall, from the metal up.
constexpr auto kKinds = [] {
  using enum FaultScope;
  return std::array{
      FaultKind{"crash", Host, kHeals, kOfTargets,
                "a host dies with its memory, timers and mail; it may start again", make_crash},
      FaultKind{"nodeCrash", Node, kHeals, kOfTargets,
                "a node's kernel panics; it stays down, or is back after `duration`",
                make_node_crash},
      FaultKind{"nodePowerLoss", Node, kHeals, kOfTargets,
                "nodes lose power at one instant; they boot when it returns", make_power_loss},
      FaultKind{"nodeReboot", Node, kOnce, kOfTargets,
                "a node restarts and is back after its downtime", make_reboot},
      FaultKind{"clockSkew", Host, kHeals, kOfTargets,
                "a host's clock is ahead of the others' or behind", make_clock_skew},
      FaultKind{"leaderElectionOverlap", Host, kHeals, kOfTargets,
                "a controller's leader goes on without renewing its lease, beside the next one",
                make_leader_election_overlap},
      FaultKind{"kubeletHang", Node, kHeals, kOfTargets,
                "a kubelet hangs: its lease is not renewed, its containers go on",
                make_kubelet_hang},
      FaultKind{"devicePluginDown", Node, kHeals, kOfTargets,
                "a node's device plugin is gone: its GPUs are not allocatable",
                make_device_plugin_down},
      FaultKind{"imagePullFailure", Node, kHeals, kOfTargets,
                "pulls of an image fail on a node: ErrImagePull, ImagePullBackOff",
                make_image_pull_failure},
      FaultKind{"gpu", Gpu, kHeals, kOfTargets,
                "a GPU reports an XID; what dies and whether it must be reset depends on which",
                make_gpu},
      FaultKind{"gpuEcc", Gpu, kOnce, kOfTargets,
                "a GPU's memory wears out: rows are remapped until none is left", make_gpu_ecc},
      FaultKind{"gpuThrottle", Gpu, kHeals, kOfTargets,
                "a GPU is too hot and runs at a lower clock: engine steps take longer",
                make_gpu_throttle},
      FaultKind{"nvlinkDown", Gpu, kHeals, kOfTargets,
                "a GPU loses its NVLinks (XID 74): pods that use it with others die",
                make_nvlink_down},
      FaultKind{"containerKill", Pod, kOnce, kOfTargets,
                "a pod's container dies with an exit code, or is OOMKilled", make_container_kill},
      FaultKind{"probeFailure", Pod, kHeals, kOfTargets, "a pod's probes fail", make_probe_failure},
      FaultKind{"interrupt", Instance, kOnce, kOfTargets,
                "the cloud takes a spot instance back after its notice", make_interrupt},
      FaultKind{"poolCapacity", Cloud, kOnce, kOfTargets,
                "what the cloud's pool of an instance type can still give", make_pool_capacity},
      FaultKind{"insufficientCapacity", Cloud, kHeals, kOfMessages,
                "launches fail with InsufficientInstanceCapacity", make_insufficient_capacity},
      FaultKind{"bootDelay", Cloud, kHeals, kOfMessages, "launched instances take longer to boot",
                make_boot_delay},
      FaultKind{"bootFailure", Cloud, kHeals, kOfMessages,
                "launched instances fail on launch and are terminated", make_boot_failure},
      FaultKind{"registrationFailure", Cloud, kHeals, kOfMessages,
                "launched instances run, but never register as nodes", make_registration_failure},
      FaultKind{"devicePluginDelay", Cloud, kHeals, kOfMessages,
                "launched nodes offer their GPUs later", make_device_plugin_delay},
      FaultKind{"apiServerLatency", ApiServer, kHeals, kOfMessages, "the API server answers late",
                make_api_server_latency},
      FaultKind{"apiServerUnavailable", ApiServer, kHeals, kOfMessages,
                "the API server answers 503 Service Unavailable", make_api_server_unavailable},
      FaultKind{"apiServerThrottle", ApiServer, kHeals, kOfMessages,
                "the API server answers 429 Too Many Requests", make_api_server_throttle},
      FaultKind{"watchCacheLag", ApiServer, kHeals, kOfTargets,
                "an API server's watch cache runs behind the store", make_watch_cache_lag},
      FaultKind{"watchDrop", ApiServer, kOnce, kOfTargets,
                "watches end, as when their connection is reset", make_watch_drop},
      FaultKind{"watchExpired", ApiServer, kOnce, kOfTargets,
                "watches end with 410 Gone: their clients list again", make_watch_expired},
      FaultKind{"webhookRefusal", ApiServer, kHeals, kOfMessages,
                "an admission webhook denies requests", make_webhook_refusal},
      FaultKind{"bindRejection", ApiServer, kHeals, kOfMessages,
                "the API server fails to bind pods", make_bind_rejection},
      FaultKind{"networkDelay", Network, kHeals, kOfMessages, "messages between hosts are late",
                nullptr},
      FaultKind{"networkLoss", Network, kHeals, kOfMessages,
                "packets between hosts are lost: sent again, or a timeout", nullptr},
      FaultKind{"networkDuplicate", Network, kHeals, kOfMessages,
                "the interruption queue delivers messages twice", nullptr},
      FaultKind{"networkReorder", Network, kHeals, kOfMessages,
                "some messages between hosts are overtaken by others", nullptr},
      FaultKind{"networkPartition", Network, kHeals, kOfMessages,
                "hosts do not reach each other, both ways or one", nullptr},
      FaultKind{"metricsGap", Telemetry, kHeals, kOfTargets, "scrapes fail: series have a gap",
                make_metrics_gap},
      FaultKind{"metricsFreeze", Telemetry, kHeals, kOfTargets,
                "exporters repeat what they last said", make_metrics_freeze},
      FaultKind{"loadSpike", Load, kHeals, kOfTargets, "a load asks several times as much",
                make_load_spike},
      FaultKind{"processKill", Process, kOnce, kOfTargets,
                "a worker process of ours dies of SIGKILL; in virtual time named hosts crash",
                make_process_kill},
      FaultKind{"processPause", Process, kHeals, kOfTargets,
                "a worker process of ours stands still (SIGSTOP, SIGCONT); as before",
                make_process_pause},
      FaultKind{"diskFill", Process, kHeals, kOfTargets,
                "the disk of a worker's journal is full: the worker stops until there is room",
                make_disk_fill},
  };
}();

}  // namespace

std::span<const FaultKind> all_fault_kinds() {
  return kKinds;
}

std::vector<const FaultKind*> kinds_of(const Fault& fault) {
  std::vector<const FaultKind*> found;
  const google::protobuf::Descriptor& type = *Fault::descriptor();
  for (const FaultKind& kind : kKinds) {
    const auto* field = type.FindFieldByCamelcaseName(std::string(kind.key));
    if (field != nullptr && fault.GetReflection()->HasField(fault, field)) found.push_back(&kind);
  }
  return found;
}

std::uint32_t percent_ppm(const std::string& text, std::uint32_t fallback, const std::string& path,
                          Problems& problems) {
  if (text.empty()) return fallback;
  const Result<double> share = parse_percent(text);
  if (!share || *share > 1) {
    problems.add(path, "expected a share of at most 100%");
    return fallback;
  }
  return static_cast<std::uint32_t>(std::llround(*share * 1e6));
}

}  // namespace troupe::config
