// The containers of one pod as they run: what happened to each, which is next to start, and what
// becomes of the pod.
//
// Containers start one after the other, as kubelet's SyncPod does it: init containers in order,
// each to its end (a sidecar: an init container that restarts always, only to its start), then the
// main ones. Limit: an init container always succeeds, at once; nothing says what it does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/kubelet/crash_backoff.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::kubelet {

/// The exit code of a killed process, 128 + SIGKILL; kubelet says it also of one that vanished with
/// its node.
inline constexpr std::int32_t kKilledCode = 137;

/// One run of a container that is over.
struct FinishedRun {
  SimTime started;
  SimTime finished;
  std::int32_t exit_code = 0;
  std::string reason;  ///< "Completed", "Error", "OOMKilled", "ContainerStatusUnknown"
};

struct ContainerRun {
  enum class Role { Init, Sidecar, Main };
  enum class State { Waiting, Running, Terminated };

  Role role = Role::Main;
  const k8s::Container* spec = nullptr;  ///< in the pod that the ContainerSet keeps
  State state = State::Waiting;
  std::string waiting_reason = "ContainerCreating";
  SimTime started_at;
  bool starting = false;  ///< its image is awaited or it is being made
  bool started = false;   ///< running, and its startup probe has passed
  bool ready = false;     ///< and its readiness probe
  std::int32_t restarts = 0;
  FinishedRun now;                  ///< while Terminated
  std::optional<FinishedRun> last;  ///< the run before
  CrashBackoff backoff;

  [[nodiscard]] bool running() const { return state == State::Running; }
  /// It has run, and does not now.
  [[nodiscard]] bool stopped() const {
    return state == State::Terminated || (state == State::Waiting && last.has_value());
  }
  [[nodiscard]] std::int32_t last_exit_code() const {
    return state == State::Terminated ? now.exit_code : last ? last->exit_code : 0;
  }
};

class ContainerSet {
 public:
  explicit ContainerSet(std::shared_ptr<const k8s::Pod> pod);

  [[nodiscard]] std::vector<ContainerRun>& all() { return runs_; }
  [[nodiscard]] const std::vector<ContainerRun>& all() const { return runs_; }
  [[nodiscard]] ContainerRun& at(std::uint32_t index) { return runs_.at(index); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(runs_.size()); }
  /// The container that the pod's workload profile speaks of.
  [[nodiscard]] std::uint32_t workload() const { return workload_; }

  /// The first container that never ran, unless it is starting or one before it is not far enough.
  [[nodiscard]] std::optional<std::uint32_t> next_to_start() const;
  /// Every container that should run has been started at least once.
  [[nodiscard]] bool all_started() const;
  [[nodiscard]] bool initialized() const;
  [[nodiscard]] bool any_running() const;
  [[nodiscard]] bool all_ready() const;

  /// Whether a container that ended with this code is to be started again.
  [[nodiscard]] bool restarts(const ContainerRun& run, std::int32_t exit_code) const;

  void mark_running(std::uint32_t index, SimTime now);
  void mark_terminated(std::uint32_t index, FinishedRun run);
  void mark_crash_loop(std::uint32_t index);
  /// The node went down under a pod that ran: its containers are gone, whatever they did.
  void mark_lost(const k8s::PodStatus& before, SimTime now);

 private:
  std::shared_ptr<const k8s::Pod> pod_;  ///< keeps the specs alive
  std::vector<ContainerRun> runs_;       ///< init containers first
  std::uint32_t workload_ = 0;
};

}  // namespace troupe::kubelet
