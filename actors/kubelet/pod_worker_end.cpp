// How the containers of a pod end: exits, restarts, deletion.

#include <algorithm>
#include <utility>

#include "actors/kubelet/pod_worker.h"
#include "actors/kubelet/pre_stop.h"
#include "messages/facts.pb.h"

namespace troupe::kubelet {
namespace {

using Role = ContainerRun::Role;

/// core/v1 PodSpec: terminationGracePeriodSeconds.
constexpr Duration kDefaultGrace = std::chrono::seconds(30);
/// kubelet kills a pod whose object vanished with the shortest grace there is.
constexpr Duration kGoneGrace = std::chrono::seconds(1);

}  // namespace

Duration PodWorker::own_grace() const {
  return pod_->spec().has_termination_grace_period_seconds()
             ? Duration(std::chrono::seconds(pod_->spec().termination_grace_period_seconds()))
             : kDefaultGrace;
}

void PodWorker::update(Context& context, PodPtr pod) {
  pod_ = std::move(pod);
  if (!deleting()) {
    const bool again = objects_.contradicts(*pod_);
    if (again || pod_->spec().readiness_gates_size() > 0) publish(context, again);
    return;
  }
  if (stage_ == Stage::Over) {
    objects_.remove(context, *pod_);
    return;
  }
  const Duration grace = std::chrono::seconds(pod_->metadata().deletion_grace_period_seconds());
  if (stage_ == Stage::Active) {
    terminate(context, grace);
  } else if (context.now() + grace < grace_ends_) {
    arm_grace(context, grace);
  }
}

void PodWorker::object_gone(Context& context) {
  gone_ = true;
  objects_.forget(uid());
  if (stage_ == Stage::Active) {
    terminate(context, kGoneGrace);
  } else if (stage_ == Stage::Terminating && context.now() + kGoneGrace < grace_ends_) {
    arm_grace(context, kGoneGrace);
  }
}

void PodWorker::on_exited(Context& context, const workload::Exited& exit) {
  exited(context, containers_.workload(), {{}, context.now(), exit.exit_code(), exit.reason()});
  if (stage_ == Stage::Active) publish(context);
}

void PodWorker::kill_workload(Context& context, std::int32_t exit_code, const std::string& reason) {
  if (stage_ != Stage::Active || !workload_) return;
  kill(context, containers_.workload(), exit_code, reason);
  if (stage_ == Stage::Active) publish(context);
}

void PodWorker::condemn(Context& context, std::uint32_t index) {
  if (index != containers_.workload() || !workload_ || stage_ != Stage::Active) return;
  const k8s::Container& spec = *containers_.at(index).spec;
  const k8s::Probe& probe =
      containers_.at(index).started ? spec.liveness_probe() : spec.startup_probe();
  const Duration grace = probe.has_termination_grace_period_seconds()
                             ? std::chrono::seconds(probe.termination_grace_period_seconds())
                             : own_grace();
  workload::Terminate terminate;
  terminate.set_grace_ns(grace.count());
  context.send(workload_, Payload::of(std::move(terminate)), {});
  kill_timer_ = arm(context, PodTimer::KILL_OVER, grace, index);
}

void PodWorker::kill(Context& context, std::uint32_t index, std::int32_t exit_code,
                     const std::string& reason) {
  // Killed from outside, it could not say that its work is over.
  facts::WorkloadIdle idle;
  idle.set_uid(uid());
  context.emit(Payload::of(std::move(idle)));
  exited(context, index, {{}, context.now(), exit_code, reason});
}

void PodWorker::exited(Context& context, std::uint32_t index, FinishedRun run) {
  const bool is_workload = index == containers_.workload();
  const std::int32_t code = run.exit_code;
  probes_.stop(context, index);
  usage_.end(containers_.at(index).spec->name());
  if (is_workload) stop_workload(context);
  containers_.mark_terminated(index, std::move(run));
  if (stage_ == Stage::Terminating) {
    finish(context);
    return;
  }
  if (containers_.restarts(containers_.at(index), code)) {
    if (is_workload) {
      facts::WorkloadStage fact;
      fact.set_uid(uid());
      fact.set_stage(facts::WorkloadStage::FAILED);
      context.emit(Payload::of(std::move(fact)));
    }
    restart(context, index);
    return;
  }
  // The containers beside the workload's have nothing to do without it.
  if (is_workload) finish(context);
}

void PodWorker::restart(Context& context, std::uint32_t index) {
  const ContainerRun& run = containers_.at(index);
  const SimTime finished = run.now.finished;
  const SimTime at = run.backoff.next_start(finished);
  if (at <= context.now()) {
    start_container(context, index);
    return;
  }
  containers_.mark_crash_loop(index);
  arm(context, PodTimer::RESTART, at - context.now(), index);
}

void PodWorker::terminate(Context& context, Duration grace) {
  if (stage_ != Stage::Active) return;
  stage_ = Stage::Terminating;
  probes_.stop_all(context);
  if (!containers_.any_running()) {
    finish(context);
    return;
  }
  arm_grace(context, grace);
  Duration pre_stop{0};
  for (const ContainerRun& run : containers_.all()) {
    if (run.running()) pre_stop = std::max(pre_stop, pre_stop_delay(*run.spec));
  }
  if (pre_stop > Duration::zero()) {
    arm(context, PodTimer::PRE_STOP_OVER, std::min(pre_stop, grace));
  } else {
    send_sigterm(context);
  }
}

void PodWorker::arm_grace(Context& context, Duration grace) {
  context.cancel_timer(grace_timer_);
  grace_ends_ = context.now() + grace;
  grace_timer_ = arm(context, PodTimer::GRACE_OVER, grace);
}

void PodWorker::send_sigterm(Context& context) {
  for (std::uint32_t i = 0; i < containers_.size(); ++i) {
    if (i == containers_.workload() && workload_) continue;
    if (!containers_.at(i).running()) continue;
    containers_.mark_terminated(i, {{}, context.now(), 0, "Completed"});
    usage_.end(containers_.at(i).spec->name());
  }
  if (!workload_) {
    finish(context);
    return;
  }
  workload::Terminate terminate;
  terminate.set_grace_ns((grace_ends_ - context.now()).count());
  context.send(workload_, Payload::of(std::move(terminate)), {});
}

void PodWorker::stop_workload(Context& context) {
  if (!workload_) return;
  context.cancel_timer(kill_timer_);
  context.stop(workload_);
  workload_ = {};
  node_.clear_devices(context, uid());
}

void PodWorker::finish(Context& context) {
  if (stage_ == Stage::Over) return;
  const bool asked_to_go = deleting() || gone_;
  const bool killed = stage_ == Stage::Terminating && workload_;
  if (killed) {
    facts::WorkloadIdle idle;
    idle.set_uid(uid());
    context.emit(Payload::of(std::move(idle)));
  }
  stage_ = Stage::Over;
  probes_.stop_all(context);
  context.cancel_timer(grace_timer_);
  stop_workload(context);
  for (std::uint32_t i = 0; i < containers_.size(); ++i) {
    if (!containers_.at(i).running()) continue;
    const bool by_force = killed && i == containers_.workload();
    containers_.mark_terminated(
        i, {{}, context.now(), by_force ? kKilledCode : 0, by_force ? "Error" : "Completed"});
    usage_.end(containers_.at(i).spec->name());
  }
  publish(context);
  facts::PodFinished fact;
  fact.set_uid(uid());
  fact.set_namespace_(pod_->metadata().namespace_());
  fact.set_name(pod_->metadata().name());
  fact.set_phase(phase_of(facts(context)));
  fact.set_reason(failed_ ? failed_->reason : asked_to_go ? "Deleted" : "");
  context.emit(Payload::of(std::move(fact)));
  node_.release(context, *pod_);
  if (deleting() && !gone_) objects_.remove(context, *pod_);
}

}  // namespace troupe::kubelet
