// The one table of faults that a scenario can have. A fault is a row here, a message in
// messages/scenario.proto under the same key, and a row in docs/faults.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/payload.h"
#include "messages/sim_time.h"

namespace troupe::config {

/// What a fault befalls, and so which targets it can have.
enum class FaultScope : std::uint8_t {
  Host,       ///< any host, by its path
  Node,       ///< a node's host, or its kubelet
  Gpu,        ///< GPUs of a node
  Pod,        ///< a pod that runs on a node
  Instance,   ///< a node's instance at the cloud
  Cloud,      ///< the cloud: its launches
  ApiServer,  ///< the API servers
  Telemetry,  ///< Prometheus
  Load,       ///< loads, by name
  Network,    ///< messages between hosts
  Process,    ///< workers of a live run; in virtual time, hosts that are named
};

/// What a fault does, whenever and to whomever it happens.
struct FaultAction {
  Payload begin;
  Payload end = {};             ///< heals it; empty: nothing to heal
  std::string named = {};       ///< the target that stands in the fault itself: `crash.host`
  std::string named_path = {};  ///< where: "crash.host"
  std::vector<std::string> hosts = {};  ///< those that stand in the fault itself, paths or globs
  std::optional<std::uint32_t> gpu = {};
  Duration length{0};  ///< 0: the fault's `duration`; else this
};

/// What an action is made of, beside the fault itself.
struct FaultSetting {
  std::uint32_t id = 0;               ///< tells apart the faults of a run
  std::uint32_t probability_ppm = 0;  ///< of each message
  std::uint32_t after = 0;            ///< messages that pass first
  Duration length{0};                 ///< 0: for ever
  std::string path;                   ///< "faults[0].crash"
  bool live = false;                  ///< the run will be live
  Problems& problems;
};

struct FaultKind {
  std::string_view key;  ///< as a scenario spells it
  FaultScope scope;
  bool heals;        ///< has a `duration`
  bool of_messages;  ///< `after` and `probability` are of each message that it befalls
  std::string_view sentence;
  FaultAction (*make)(const Fault&, const FaultSetting&);  ///< null for Network
};

[[nodiscard]] std::span<const FaultKind> all_fault_kinds();
/// The kinds that a fault names: it should be one.
[[nodiscard]] std::vector<const FaultKind*> kinds_of(const Fault& fault);

/// "90%" in millionths; `fallback` where nothing is said. Adds a problem beyond 100%.
[[nodiscard]] std::uint32_t percent_ppm(const std::string& text, std::uint32_t fallback,
                                        const std::string& path, Problems& problems);

}  // namespace troupe::config
