#include "actors/kubelet/container_run.h"

#include <algorithm>
#include <utility>

#include "actors/kubelet/workload_catalog.h"

namespace troupe::kubelet {
namespace {

using Role = ContainerRun::Role;
using State = ContainerRun::State;

bool far_enough(const ContainerRun& run) {
  if (run.role == Role::Init) return run.state == State::Terminated;
  if (run.role == Role::Sidecar) return run.started || run.stopped();
  return run.running() || run.stopped();
}

const k8s::ContainerStatus* status_of(const k8s::PodStatus& status, const std::string& name) {
  for (const auto& one : status.container_statuses()) {
    if (one.name() == name) return &one;
  }
  return nullptr;
}

}  // namespace

ContainerSet::ContainerSet(std::shared_ptr<const k8s::Pod> pod) : pod_(std::move(pod)) {
  const k8s::PodSpec& spec = pod_->spec();
  for (const k8s::Container& container : spec.init_containers()) {
    ContainerRun run;
    run.role = container.restart_policy() == "Always" ? Role::Sidecar : Role::Init;
    run.spec = &container;
    run.waiting_reason = "PodInitializing";
    runs_.push_back(std::move(run));
  }
  workload_ = size() + static_cast<std::uint32_t>(workload_container(spec));
  for (const k8s::Container& container : spec.containers()) {
    ContainerRun run;
    run.spec = &container;
    if (spec.init_containers_size() > 0) run.waiting_reason = "PodInitializing";
    runs_.push_back(std::move(run));
  }
}

std::optional<std::uint32_t> ContainerSet::next_to_start() const {
  for (std::uint32_t i = 0; i < size(); ++i) {
    const ContainerRun& run = runs_[i];
    if (run.state == State::Waiting && !run.last) {
      return run.starting ? std::nullopt : std::optional(i);
    }
    if (!far_enough(run)) return std::nullopt;
  }
  return std::nullopt;
}

bool ContainerSet::all_started() const {
  return std::all_of(runs_.begin(), runs_.end(),
                     [](const ContainerRun& run) { return run.running() || run.stopped(); });
}

bool ContainerSet::initialized() const {
  return std::all_of(runs_.begin(), runs_.end(), [](const ContainerRun& run) {
    return run.role == Role::Main || far_enough(run);
  });
}

bool ContainerSet::any_running() const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [](const ContainerRun& run) { return run.running(); });
}

bool ContainerSet::all_ready() const {
  return std::all_of(runs_.begin(), runs_.end(),
                     [](const ContainerRun& run) { return run.role == Role::Init || run.ready; });
}

bool ContainerSet::restarts(const ContainerRun& run, std::int32_t exit_code) const {
  if (run.role == Role::Sidecar) return true;
  const std::string& policy = pod_->spec().restart_policy();
  if (policy == "Never") return false;
  if (policy == "OnFailure") return exit_code != 0;
  return true;
}

void ContainerSet::mark_running(std::uint32_t index, SimTime now) {
  ContainerRun& run = at(index);
  if (run.stopped()) {
    const FinishedRun before = run.state == State::Terminated ? run.now : *run.last;
    run.backoff.restarted(before.finished, now);
    run.last = before;
    ++run.restarts;
  }
  run.state = State::Running;
  run.starting = false;
  run.started_at = now;
}

void ContainerSet::mark_terminated(std::uint32_t index, FinishedRun finished) {
  ContainerRun& run = at(index);
  run.state = State::Terminated;
  run.started = false;
  run.ready = false;
  finished.started = run.started_at;
  run.now = std::move(finished);
}

void ContainerSet::mark_crash_loop(std::uint32_t index) {
  ContainerRun& run = at(index);
  run.state = State::Waiting;
  run.waiting_reason = "CrashLoopBackOff";
  run.last = run.now;
}

void ContainerSet::mark_lost(const k8s::PodStatus& before, SimTime now) {
  for (std::uint32_t i = 0; i < size(); ++i) {
    ContainerRun& run = at(i);
    if (run.role != Role::Main) continue;
    const k8s::ContainerStatus* status = status_of(before, run.spec->name());
    if (status == nullptr || (!status->state().has_running() && !status->state().has_terminated() &&
                              !status->last_state().has_terminated())) {
      continue;
    }
    run.restarts = status->restart_count();
    const auto& terminated = status->state().terminated();
    if (status->state().has_terminated()) {
      run.started_at = from_ns(terminated.started_at());
      mark_terminated(
          i, {{}, from_ns(terminated.finished_at()), terminated.exit_code(), terminated.reason()});
    } else {
      run.started_at = from_ns(status->state().running().started_at());
      mark_terminated(i, {{}, now, kKilledCode, "ContainerStatusUnknown"});
    }
  }
}

}  // namespace troupe::kubelet
