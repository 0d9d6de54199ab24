#include "actors/kubelet/pod_status.h"

#include <algorithm>
#include <string_view>

#include "actors/kubelet/api_time.h"
#include "messages/conditions.h"

namespace troupe::kubelet {
namespace {

using State = ContainerRun::State;

struct Tally {
  int waiting = 0;
  int running = 0;
  int stopped = 0;
  int succeeded = 0;
};

Tally tally_main(const ContainerSet& containers) {
  Tally tally;
  for (const ContainerRun& run : containers.all()) {
    if (run.role != ContainerRun::Role::Main) continue;
    if (run.running()) {
      ++tally.running;
    } else if (run.stopped()) {
      ++tally.stopped;
      if (run.last_exit_code() == 0) ++tally.succeeded;
    } else {
      ++tally.waiting;
    }
  }
  return tally;
}

bool gates_open(const k8s::Pod& pod) {
  const auto& gates = pod.spec().readiness_gates();
  return std::all_of(gates.begin(), gates.end(), [&pod](const k8s::PodReadinessGate& gate) {
    return is_true(pod.status().conditions(), gate.condition_type());
  });
}

ConditionState state_of(std::string_view type, bool holds, std::string_view reason,
                        std::string_view message = {}) {
  if (holds) return {type, "True"};
  return {type, "False", reason, message};
}

std::string unready_names(const ContainerSet& containers) {
  std::string names;
  for (const ContainerRun& run : containers.all()) {
    if (run.role == ContainerRun::Role::Init || run.ready) continue;
    names += (names.empty() ? "" : " ") + run.spec->name();
  }
  return "containers with unready status: [" + names + "]";
}

void set_conditions(const PodFacts& facts, const std::string& phase, ConditionList& conditions) {
  const bool containers_ready = facts.containers.all_ready() && !facts.over;
  std::string_view reason = "ContainersNotReady";
  if (phase == "Succeeded") reason = "PodCompleted";
  if (phase == "Failed") reason = "PodFailed";
  const std::string unready = containers_ready ? "" : unready_names(facts.containers);
  const bool gated = containers_ready && !gates_open(facts.pod);
  const bool initialized = facts.containers.initialized();
  for (const ConditionState& state :
       {state_of("Initialized", initialized, "ContainersNotInitialized"),
        gated ? state_of("Ready", false, "ReadinessGatesNotReady")
              : state_of("Ready", containers_ready, reason, unready),
        state_of("ContainersReady", containers_ready, reason, unready),
        state_of("PodScheduled", true, {})}) {
    set_condition(conditions, state, whole_second(facts.now));
  }
}

void write_finished(const FinishedRun& run, k8s::ContainerStateTerminated& terminated) {
  terminated.set_exit_code(run.exit_code);
  terminated.set_reason(run.reason);
  terminated.set_started_at(to_ns(whole_second(run.started)));
  terminated.set_finished_at(to_ns(whole_second(run.finished)));
}

void write_container(const ContainerRun& run, k8s::ContainerStatus& status) {
  status.set_name(run.spec->name());
  status.set_image(run.spec->image());
  status.set_ready(run.role == ContainerRun::Role::Init
                       ? run.state == State::Terminated && run.now.exit_code == 0
                       : run.ready);
  status.set_started(run.started);
  status.set_restart_count(run.restarts);
  switch (run.state) {
    case State::Waiting:
      status.mutable_state()->mutable_waiting()->set_reason(run.waiting_reason);
      break;
    case State::Running:
      status.mutable_state()->mutable_running()->set_started_at(
          to_ns(whole_second(run.started_at)));
      break;
    case State::Terminated:
      write_finished(run.now, *status.mutable_state()->mutable_terminated());
      break;
  }
  if (run.last) write_finished(*run.last, *status.mutable_last_state()->mutable_terminated());
}

}  // namespace

std::string phase_of(const PodFacts& facts) {
  if (facts.failed) return "Failed";
  const Tally tally = tally_main(facts.containers);
  const std::string& policy = facts.pod.spec().restart_policy();
  if (tally.waiting > 0) return facts.over ? "Failed" : "Pending";
  if (tally.running > 0) return "Running";
  if (facts.over) return tally.stopped == tally.succeeded ? "Succeeded" : "Failed";
  if (policy != "Never" && policy != "OnFailure") return "Running";
  if (tally.stopped == tally.succeeded) return "Succeeded";
  return policy == "Never" ? "Failed" : "Running";
}

bool is_ready(const PodFacts& facts) {
  return !facts.over && !facts.failed && facts.containers.all_ready() && gates_open(facts.pod);
}

k8s::PodStatus status_of(const PodFacts& facts) {
  k8s::PodStatus status;
  const std::string phase = phase_of(facts);
  status.set_phase(phase);
  *status.mutable_conditions() = facts.pod.status().conditions();
  set_conditions(facts, phase, *status.mutable_conditions());
  if (facts.failed) {
    status.set_reason(facts.failed->reason);
    status.set_message(facts.failed->message);
  }
  status.set_host_ip(facts.host_ip);
  if (!facts.pod_ip.empty()) {
    status.set_pod_ip(facts.pod_ip);
    status.add_pod_ips()->set_ip(facts.pod_ip);
  }
  status.set_start_time(to_ns(whole_second(facts.admitted_at)));
  for (const ContainerRun& run : facts.containers.all()) {
    write_container(run, run.role == ContainerRun::Role::Main
                             ? *status.add_container_statuses()
                             : *status.add_init_container_statuses());
  }
  return status;
}

}  // namespace troupe::kubelet
