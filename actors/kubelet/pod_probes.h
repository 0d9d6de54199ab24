// The probes of one pod's containers: when each is due, whom it asks, what its answers say.
//
// The workload's container is asked by message, as an HTTP probe asks its server. A container that
// nothing models answers every probe at once. Startup comes first; readiness and liveness begin
// when it has passed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "actors/context.h"
#include "actors/kubelet/probe_state.h"
#include "messages/fault.pb.h"
#include "messages/k8s/container.pb.h"
#include "messages/kubelet.pb.h"
#include "messages/workload.pb.h"

namespace troupe::kubelet {

/// A verdict that changed what the container is.
struct ProbeVerdict {
  std::uint32_t container = 0;
  bool started = false;  ///< the startup probe has passed, or there is none
  bool ready = false;    ///< and the readiness probe
  bool restart = false;  ///< startup or liveness failed as often as is allowed
};

class PodProbes {
 public:
  explicit PodProbes(std::string uid) : uid_(std::move(uid)) {}

  /// Begins with a container that just started. `target` is empty where nothing answers for it.
  /// With `passed` it begins as started and ready: part of an initial state.
  ProbeVerdict begin(Context& context, std::uint32_t container, const k8s::Container& spec,
                     Address target, bool passed = false);
  void stop(Context& context, std::uint32_t container);
  void stop_all(Context& context);

  /// Those probes fail from now on, whatever is answered, or do so no more.
  void fail(Context& context, const fault::FailProbes& fails);

  /// A PROBE or PROBE_TIMEOUT timer. A verdict if something changed.
  std::optional<ProbeVerdict> on_timer(Context& context, const PodTimer& timer);
  std::optional<ProbeVerdict> on_reply(Context& context, const workload::ProbeReply& reply);

 private:
  using Kind = ProbeState::Kind;
  struct Running {
    ProbeState state;
    TimerId timer = 0;
    std::uint64_t open = 0;  ///< id of the question under way, or 0
  };
  struct Container {
    const k8s::Container* spec = nullptr;
    Address target;
    std::map<Kind, Running> probes;
    bool started = false;
    bool ready = false;
  };

  void add(Context& context, std::uint32_t container, Kind kind, const k8s::Probe& probe,
           bool passed);
  void add_after_startup(Context& context, std::uint32_t container, bool passed);
  void arm(Context& context, std::uint32_t container, Kind kind, Duration delay,
           PodTimer::Kind what);
  std::optional<ProbeVerdict> record(Context& context, std::uint32_t container, Kind kind,
                                     bool success);
  [[nodiscard]] Running* find(std::uint32_t container, Kind kind);
  [[nodiscard]] ProbeVerdict verdict(std::uint32_t container, bool restart = false) const;

  std::string uid_;
  std::map<std::uint32_t, Container> containers_;
  std::uint64_t last_question_ = 0;
  std::set<Kind> failing_;  ///< by a fault
};

}  // namespace troupe::kubelet
