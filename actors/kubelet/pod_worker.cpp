#include "actors/kubelet/pod_worker.h"

#include <utility>

#include "messages/facts.pb.h"

namespace troupe::kubelet {
namespace {

using Role = ContainerRun::Role;

/// How a process ends whose GPU has gone: CUDA errors make frameworks exit with 1.
constexpr std::int32_t kErrorCode = 1;

void emit_stage(Context& context, const std::string& uid, facts::WorkloadStage::Stage stage) {
  facts::WorkloadStage fact;
  fact.set_uid(uid);
  fact.set_stage(stage);
  context.emit(Payload::of(std::move(fact)));
}

template <class Fact>
Fact about(const k8s::Pod& pod) {
  Fact fact;
  fact.set_uid(pod.metadata().uid());
  fact.set_namespace_(pod.metadata().namespace_());
  fact.set_name(pod.metadata().name());
  return fact;
}

}  // namespace

PodWorker::PodWorker(PodPtr pod, NodeRuntime& node, PodObjects& objects)
    : pod_(std::move(pod)),
      node_(node),
      objects_(objects),
      containers_(pod_),
      probes_(pod_->metadata().uid()) {}

void PodWorker::begin(Context& context, Begin how) {
  admitted_at_ = context.now();
  if (how == Begin::Deleting) {
    finish(context);
    return;
  }
  if (const auto grant = node_.admit(context, *pod_); !grant) {
    reject(context, grant.error());
    return;
  }
  if (pod_->spec().has_active_deadline_seconds()) {
    arm(context, PodTimer::DEADLINE, std::chrono::seconds(pod_->spec().active_deadline_seconds()));
  }
  switch (how) {
    case Begin::Initial:
      begin_initial(context);
      break;
    case Begin::AfterRestart:
      begin_after_restart(context);
      break;
    default:
      advance(context);
      break;
  }
  if (stage_ == Stage::Active) publish(context);
}

void PodWorker::reject(Context& context, const Rejection& rejection) {
  failed_ = rejection;
  stage_ = Stage::Over;
  publish(context);
  auto fact = about<facts::PodFinished>(*pod_);
  fact.set_phase("Failed");
  fact.set_reason(rejection.reason);
  context.emit(Payload::of(std::move(fact)));
}

void PodWorker::begin_initial(Context& context) {
  for (std::uint32_t i = 0; i < containers_.size(); ++i) {
    node_.images().add(containers_.at(i).spec->image());
    launch(context, i, true);
  }
}

void PodWorker::begin_after_restart(Context& context) {
  containers_.mark_lost(pod_->status(), context.now());
  bool anything_runs_again = false;
  for (std::uint32_t i = 0; i < containers_.size(); ++i) {
    const ContainerRun& run = containers_.at(i);
    const bool again = !run.stopped() || containers_.restarts(run, run.last_exit_code());
    if (run.stopped() && again) lost_.push_back(i);
    if (again && run.role == Role::Main) anything_runs_again = true;
  }
  if (!anything_runs_again) {
    finish(context);
    return;
  }
  advance(context);
}

void PodWorker::advance(Context& context) {
  if (stage_ != Stage::Active) return;
  if (const auto next = containers_.next_to_start()) {
    start_container(context, *next);
    return;
  }
  if (containers_.initialized()) {
    for (const std::uint32_t index : std::exchange(lost_, {})) restart(context, index);
  }
  if (was_started_ || !containers_.all_started()) return;
  was_started_ = true;
  auto fact = about<facts::PodStarted>(*pod_);
  fact.set_node(node_.config().name());
  context.emit(Payload::of(std::move(fact)));
}

void PodWorker::start_container(Context& context, std::uint32_t index) {
  const std::string& image = containers_.at(index).spec->image();
  containers_.at(index).starting = true;
  if (pull_failed(context, index)) return;
  if (!node_.want_image(context, image)) {
    waiting_for_image_.insert(index);
    if (index == containers_.workload()) emit_stage(context, uid(), facts::WorkloadStage::IMAGE);
    return;
  }
  arm(context, PodTimer::CONTAINER_STARTS, node_.container_start(context), index);
}

// True if the image cannot be had for now: the container waits, and is started again later. kubelet
// says ErrImagePull of the attempt and ImagePullBackOff of the wait for the next.
bool PodWorker::pull_failed(Context& context, std::uint32_t index) {
  ContainerRun& run = containers_.at(index);
  const auto backoff = pulls_.find(index);
  if (backoff != pulls_.end() && !backoff->second.shown) {
    backoff->second.shown = true;
    run.waiting_reason = "ImagePullBackOff";
    arm(context, PodTimer::RESTART, backoff->second.rest(), index);
    return true;
  }
  if (node_.images().present(run.spec->image()) || !node_.pull_fails(run.spec->image())) {
    if (backoff != pulls_.end()) run.waiting_reason = "ContainerCreating";
    pulls_.erase(index);
    return false;
  }
  PullBackoff& next = pulls_[index];
  next.failed();
  run.waiting_reason = "ErrImagePull";
  arm(context, PodTimer::RESTART, PullBackoff::kShown, index);
  if (index == containers_.workload()) emit_stage(context, uid(), facts::WorkloadStage::IMAGE);
  return true;
}

void PodWorker::fail_probes(Context& context, const fault::FailProbes& fails) {
  probes_.fail(context, fails);
}

void PodWorker::tell_pace(Context& context) {
  if (!workload_) return;
  workload::SetPace pace;
  pace.set_permille(node_.pace_of(uid()));
  context.send(workload_, Payload::of(pace), {});
}

void PodWorker::on_image(Context& context, const std::string& image) {
  if (stage_ != Stage::Active) return;
  for (const std::uint32_t index : std::set<std::uint32_t>(waiting_for_image_)) {
    if (containers_.at(index).spec->image() != image) continue;
    waiting_for_image_.erase(index);
    arm(context, PodTimer::CONTAINER_STARTS, node_.container_start(context), index);
  }
}

void PodWorker::launch(Context& context, std::uint32_t index, bool loaded) {
  sandbox_ = true;
  containers_.mark_running(index, context.now());
  const ContainerRun& run = containers_.at(index);
  if (run.role == Role::Init) {
    containers_.mark_terminated(index, {{}, context.now(), 0, "Completed"});
    advance(context);
    return;
  }
  const bool is_workload = index == containers_.workload();
  usage_.begin(run.spec->name(), node_.usage_of(*pod_, *run.spec, is_workload), context.now());
  if (is_workload) {
    launch_workload(context, index, loaded);
    if (!containers_.at(index).running()) return;
  }
  run_probes(context, index, loaded);
  advance(context);
}

void PodWorker::launch_workload(Context& context, std::uint32_t index, bool loaded) {
  const auto restarts = static_cast<std::uint32_t>(containers_.at(index).restarts);
  std::unique_ptr<Actor> actor;
  if (node_.devices_healthy(uid())) actor = node_.make_workload(*pod_, restarts, loaded);
  if (actor == nullptr) {
    advance(context);
    exited(context, index, {{}, context.now(), kErrorCode, "Error"});
    return;
  }
  workload_ = context.spawn(node_.pod_path(uid()), std::move(actor));
  if (node_.pace_of(uid()) != NodeRuntime::kFullPace) tell_pace(context);
}

void PodWorker::run_probes(Context& context, std::uint32_t index, bool passed) {
  const ContainerRun& run = containers_.at(index);
  const bool asked = index == containers_.workload() && node_.serves(*pod_);
  apply(context, probes_.begin(context, index, *run.spec, asked ? workload_ : Address{}, passed));
}

void PodWorker::apply(Context& context, const ProbeVerdict& verdict) {
  if (verdict.restart) {
    condemn(context, verdict.container);
    return;
  }
  ContainerRun& run = containers_.at(verdict.container);
  run.started = verdict.started;
  run.ready = verdict.started && verdict.ready;
  if (run.role == Role::Sidecar) advance(context);
}

void PodWorker::on_probe_reply(Context& context, const workload::ProbeReply& reply) {
  const auto verdict = probes_.on_reply(context, reply);
  if (!verdict) return;
  apply(context, *verdict);
  publish(context);
}

void PodWorker::on_timer(Context& context, const PodTimer& timer) {
  if (stage_ == Stage::Over) return;
  switch (timer.kind()) {
    case PodTimer::CONTAINER_STARTS:
      if (stage_ == Stage::Active) launch(context, timer.container(), false);
      break;
    case PodTimer::RESTART:
      if (stage_ == Stage::Active) start_container(context, timer.container());
      break;
    case PodTimer::PROBE:
    case PodTimer::PROBE_TIMEOUT:
      if (const auto verdict = probes_.on_timer(context, timer)) {
        apply(context, *verdict);
        break;
      }
      return;
    case PodTimer::PRE_STOP_OVER:
      if (stage_ == Stage::Terminating) send_sigterm(context);
      break;
    case PodTimer::GRACE_OVER:
      finish(context);
      break;
    case PodTimer::KILL_OVER:
      kill(context, timer.container(), kKilledCode);
      break;
    case PodTimer::DEADLINE:
      if (stage_ != Stage::Active) break;
      failed_ = {"DeadlineExceeded",
                 "Pod was active on the node longer than the specified deadline"};
      terminate(context, own_grace());
      break;
    default:
      break;
  }
  if (stage_ != Stage::Over) publish(context);
}

PodFacts PodWorker::facts(const Context& context) const {
  return {.pod = *pod_,
          .containers = containers_,
          .now = context.now(),
          .admitted_at = admitted_at_,
          .pod_ip = sandbox_ ? node_.pod_path(uid()) : std::string{},
          .host_ip = node_.path(),
          .over = stage_ == Stage::Over,
          .failed = failed_};
}

void PodWorker::publish(Context& context, bool again) {
  const PodFacts now = facts(context);
  const bool ready = is_ready(now);
  if (ready != was_ready_) {
    was_ready_ = ready;
    if (ready) {
      context.emit(Payload::of(about<facts::PodReady>(*pod_)));
    } else {
      auto fact = about<facts::PodNotReady>(*pod_);
      fact.set_reason(stage_ == Stage::Active ? "ContainersNotReady" : "Terminating");
      context.emit(Payload::of(std::move(fact)));
    }
  }
  if (gone_) return;
  if (again) {
    objects_.set_again(context, *pod_, status_of(now));
  } else {
    objects_.set_status(context, *pod_, status_of(now));
  }
}

TimerId PodWorker::arm(Context& context, PodTimer::Kind kind, Duration delay,
                       std::uint32_t container) {
  PodTimer timer;
  timer.set_uid(uid());
  timer.set_kind(kind);
  timer.set_container(container);
  return context.set_timer(delay, Payload::of(std::move(timer)));
}

void PodWorker::set_usage(Context& context, const workload::SetUsage& usage) {
  const std::string& container = usage.container().empty()
                                     ? containers_.at(containers_.workload()).spec->name()
                                     : usage.container();
  usage_.set(container, {usage.cpu_milli(), usage.memory_bytes()}, context.now());
}

}  // namespace troupe::kubelet
