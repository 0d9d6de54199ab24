// The life of one pod on its node, from the moment the kubelet sees it bound here until nothing of
// it runs: kubelet's pod worker.
//
// Admission, image, containers one after the other, probes, restarts with backoff; on deletion
// preStop, SIGTERM, grace, SIGKILL; then the devices are given back, and only then does the object
// go. What the workload's container does is an actor of its own at the pod's path; the other
// containers only run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/kubelet/container_run.h"
#include "actors/kubelet/node_runtime.h"
#include "actors/kubelet/pod_objects.h"
#include "actors/kubelet/pod_probes.h"
#include "actors/kubelet/pod_status.h"
#include "actors/kubelet/pod_usage.h"
#include "actors/kubelet/pull_backoff.h"

namespace troupe::kubelet {

class PodWorker {
 public:
  using PodPtr = std::shared_ptr<const k8s::Pod>;
  enum class Begin {
    New,           ///< bound here, nothing has run
    Initial,       ///< the emulation begins with it running and loaded
    AfterRestart,  ///< it ran here before the node went down
    Deleting,      ///< nothing of it runs, and it was asked to go
  };

  PodWorker(PodPtr pod, NodeRuntime& node, PodObjects& objects);

  void begin(Context& context, Begin how);
  /// A newer state of the object.
  void update(Context& context, PodPtr pod);
  /// The object is gone: whatever still runs has a second.
  void object_gone(Context& context);

  void on_timer(Context& context, const PodTimer& timer);
  void on_image(Context& context, const std::string& image);
  /// From the actor that `runs` names.
  void on_exited(Context& context, const workload::Exited& exited);
  void on_probe_reply(Context& context, const workload::ProbeReply& reply);
  /// True if this actor, in this life, is the pod's workload.
  [[nodiscard]] bool runs(const Address& actor) const { return workload_ && workload_ == actor; }
  /// The process of the workload's container dies from outside: its GPU failed, or the kernel
  /// killed it.
  void kill_workload(Context& context, std::int32_t exit_code, const std::string& reason);
  /// Its probes fail from now on, whatever the container says, or do so no more.
  void fail_probes(Context& context, const fault::FailProbes& fails);
  /// Its GPUs run at another pace.
  void tell_pace(Context& context);
  void set_usage(Context& context, const workload::SetUsage& usage);

  [[nodiscard]] const k8s::Pod& pod() const { return *pod_; }
  [[nodiscard]] const PodUsage& usage() const { return usage_; }
  /// Nothing of it runs, and nobody will ask for it again.
  [[nodiscard]] bool forgettable() const { return stage_ == Stage::Over && gone_; }

 private:
  enum class Stage { Active, Terminating, Over };

  // pod_worker.cpp: from admission to running
  void reject(Context& context, const Rejection& rejection);
  void begin_initial(Context& context);
  void begin_after_restart(Context& context);
  void advance(Context& context);
  void start_container(Context& context, std::uint32_t index);
  bool pull_failed(Context& context, std::uint32_t index);
  void launch(Context& context, std::uint32_t index, bool loaded);
  void launch_workload(Context& context, std::uint32_t index, bool loaded);
  void run_probes(Context& context, std::uint32_t index, bool passed);
  void apply(Context& context, const ProbeVerdict& verdict);
  // pod_worker_end.cpp: exits, restarts, termination
  void condemn(Context& context, std::uint32_t index);
  void kill(Context& context, std::uint32_t index, std::int32_t exit_code,
            const std::string& reason = "Error");
  void exited(Context& context, std::uint32_t index, FinishedRun run);
  void restart(Context& context, std::uint32_t index);
  void terminate(Context& context, Duration grace);
  void send_sigterm(Context& context);
  void arm_grace(Context& context, Duration grace);
  void finish(Context& context);
  // both
  void publish(Context& context, bool again = false);
  TimerId arm(Context& context, PodTimer::Kind kind, Duration delay, std::uint32_t container = 0);
  [[nodiscard]] PodFacts facts(const Context& context) const;
  [[nodiscard]] const std::string& uid() const { return pod_->metadata().uid(); }
  [[nodiscard]] bool deleting() const { return pod_->metadata().has_deletion_timestamp(); }
  [[nodiscard]] Duration own_grace() const;
  void stop_workload(Context& context);

  PodPtr pod_;
  NodeRuntime& node_;
  PodObjects& objects_;
  ContainerSet containers_;
  PodProbes probes_;
  PodUsage usage_;
  Stage stage_ = Stage::Active;
  bool gone_ = false;         ///< the object
  bool sandbox_ = false;      ///< the pod has its address
  bool was_started_ = false;  ///< PodStarted was said
  bool was_ready_ = false;
  SimTime admitted_at_;
  SimTime grace_ends_;
  TimerId grace_timer_ = 0;
  TimerId kill_timer_ = 0;  ///< of a container that a probe condemned
  Address workload_;        ///< of the actor that runs, or none
  std::set<std::uint32_t> waiting_for_image_;
  std::map<std::uint32_t, PullBackoff> pulls_;  ///< that failed, by container
  std::vector<std::uint32_t> lost_;  ///< with the node's former life, to be started again
  std::optional<Rejection> failed_;
};

}  // namespace troupe::kubelet
