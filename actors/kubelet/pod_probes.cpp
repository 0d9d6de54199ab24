#include "actors/kubelet/pod_probes.h"

#include <algorithm>

namespace troupe::kubelet {
namespace {

constexpr auto kStartup = workload::ProbeRequest::STARTUP;
constexpr auto kReadiness = workload::ProbeRequest::READINESS;
constexpr auto kLiveness = workload::ProbeRequest::LIVENESS;

}  // namespace

ProbeVerdict PodProbes::begin(Context& context, std::uint32_t container, const k8s::Container& spec,
                              Address target, bool passed) {
  Container& entry = containers_[container];
  entry = {&spec, target, {}, false, false};
  if (spec.has_startup_probe() && !passed) {
    add(context, container, kStartup, spec.startup_probe(), false);
  } else {
    add_after_startup(context, container, passed);
  }
  return verdict(container);
}

void PodProbes::add_after_startup(Context& context, std::uint32_t container, bool passed) {
  Container& entry = containers_.at(container);
  entry.started = true;
  entry.ready = passed || !entry.spec->has_readiness_probe();
  if (entry.spec->has_readiness_probe()) {
    add(context, container, kReadiness, entry.spec->readiness_probe(), passed);
  }
  // A container that nothing models never fails its liveness probe.
  if (entry.spec->has_liveness_probe() && entry.target) {
    add(context, container, kLiveness, entry.spec->liveness_probe(), passed);
  }
}

void PodProbes::add(Context& context, std::uint32_t container, Kind kind, const k8s::Probe& probe,
                    bool passed) {
  Container& entry = containers_.at(container);
  if (passed && !entry.target) return;
  ProbeState state(kind, probe);
  if (passed) state.begin_passed();
  const Duration delay = passed ? state.period() : state.initial_delay();
  entry.probes.insert_or_assign(kind, Running{state, 0, 0});
  arm(context, container, kind, delay, PodTimer::PROBE);
}

void PodProbes::arm(Context& context, std::uint32_t container, Kind kind, Duration delay,
                    PodTimer::Kind what) {
  PodTimer timer;
  timer.set_uid(uid_);
  timer.set_kind(what);
  timer.set_container(container);
  timer.set_probe(static_cast<std::uint32_t>(kind));
  find(container, kind)->timer = context.set_timer(delay, Payload::of(std::move(timer)));
}

void PodProbes::stop(Context& context, std::uint32_t container) {
  const auto found = containers_.find(container);
  if (found == containers_.end()) return;
  for (const auto& [kind, running] : found->second.probes) context.cancel_timer(running.timer);
  containers_.erase(found);
}

void PodProbes::stop_all(Context& context) {
  while (!containers_.empty()) stop(context, containers_.begin()->first);
}

std::optional<ProbeVerdict> PodProbes::on_timer(Context& context, const PodTimer& timer) {
  const auto kind = static_cast<Kind>(timer.probe());
  Running* running = find(timer.container(), kind);
  if (running == nullptr) return std::nullopt;
  if (timer.kind() == PodTimer::PROBE_TIMEOUT) {
    running->open = 0;
    const Duration rest = running->state.period() - running->state.timeout();
    arm(context, timer.container(), kind, std::max(Duration::zero(), rest), PodTimer::PROBE);
    return record(context, timer.container(), kind, false);
  }
  const Address target = containers_.at(timer.container()).target;
  if (!target) {
    running->timer = 0;
    arm(context, timer.container(), kind, running->state.period(), PodTimer::PROBE);
    return record(context, timer.container(), kind, true);
  }
  workload::ProbeRequest request;
  request.set_probe_id(running->open = ++last_question_);
  request.set_kind(kind);
  context.send(target, Payload::of(std::move(request)), {});
  arm(context, timer.container(), kind, running->state.timeout(), PodTimer::PROBE_TIMEOUT);
  return std::nullopt;
}

void PodProbes::fail(Context& context, const fault::FailProbes& fails) {
  std::set<Kind> kinds = {kStartup, kReadiness, kLiveness};
  if (!fails.probes().empty()) kinds.clear();
  for (const std::uint32_t kind : fails.probes()) kinds.insert(static_cast<Kind>(kind));
  for (const Kind kind : kinds) {
    if (fails.heal()) {
      failing_.erase(kind);
    } else {
      failing_.insert(kind);
    }
  }
  if (!failing_.contains(kReadiness)) return;
  // Where nothing answers for the container, nobody asked any more once it was ready.
  for (auto& [container, entry] : containers_) {
    if (entry.target || !entry.ready || !entry.spec->has_readiness_probe()) continue;
    ProbeState state(kReadiness, entry.spec->readiness_probe());
    state.begin_passed();
    entry.probes.insert_or_assign(kReadiness, Running{state, 0, 0});
    arm(context, container, kReadiness, state.period(), PodTimer::PROBE);
  }
}

std::optional<ProbeVerdict> PodProbes::on_reply(Context& context,
                                                const workload::ProbeReply& reply) {
  for (auto& [container, entry] : containers_) {
    for (auto& [kind, running] : entry.probes) {
      if (running.open == 0 || running.open != reply.probe_id()) continue;
      running.open = 0;
      context.cancel_timer(running.timer);
      arm(context, container, kind, running.state.period(), PodTimer::PROBE);
      return record(context, container, kind, reply.success());
    }
  }
  return std::nullopt;
}

std::optional<ProbeVerdict> PodProbes::record(Context& context, std::uint32_t container, Kind kind,
                                              bool answered) {
  const bool success = answered && !failing_.contains(kind);
  Running& running = *find(container, kind);
  Container& entry = containers_.at(container);
  const bool changed = running.state.record(success);
  if (kind != kReadiness && running.state.exhausted()) {
    stop(context, container);
    return ProbeVerdict{.container = container, .restart = true};
  }
  if (kind == kLiveness || !changed) return std::nullopt;
  const bool last_question = kind == kStartup || (!entry.target && success);
  if (last_question) {
    context.cancel_timer(running.timer);
    entry.probes.erase(kind);
  }
  if (kind == kStartup) {
    add_after_startup(context, container, false);
  } else {
    entry.ready = success;
  }
  return verdict(container);
}

PodProbes::Running* PodProbes::find(std::uint32_t container, Kind kind) {
  const auto found = containers_.find(container);
  if (found == containers_.end()) return nullptr;
  const auto probe = found->second.probes.find(kind);
  return probe == found->second.probes.end() ? nullptr : &probe->second;
}

ProbeVerdict PodProbes::verdict(std::uint32_t container, bool restart) const {
  const Container& entry = containers_.at(container);
  return {container, entry.started, entry.ready, restart};
}

}  // namespace troupe::kubelet
