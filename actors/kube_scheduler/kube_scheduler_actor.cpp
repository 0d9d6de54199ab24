#include "actors/kube_scheduler/kube_scheduler_actor.h"

#include <algorithm>
#include <utility>

#include "actors/scheduling/pod_status.h"
#include "messages/facts.pb.h"

namespace troupe::kube_scheduler {
namespace {

using scheduling::PodPtr;

// Kubernetes, pkg/scheduler/backend/queue/scheduling_queue.go: Run.
constexpr Duration kFlushBackoffPeriod = std::chrono::seconds(1);
constexpr Duration kFlushUnschedulablePeriod = std::chrono::seconds(30);

/// Events go through a client of their own, as in the original, so that they do not slow the
/// bindings.
constexpr std::uint32_t kEventChannel = 1;

ApiClientOptions events_client(const hosts::ControllerClient& config) {
  ApiClientOptions options = ApiClientOptions::of(config);
  options.channel = kEventChannel;
  return options;
}

Strategy strategy_of(const std::string& name) {
  if (name == "MostAllocated") return Strategy::MostAllocated;
  if (name == "RequestedToCapacityRatio") return Strategy::RequestedToCapacityRatio;
  return Strategy::LeastAllocated;
}

std::string name_of(const hosts::KubeSchedulerConfig& config) {
  return config.scheduler_name().empty() ? "default-scheduler" : config.scheduler_name();
}

}  // namespace

PodSchedulerOptions KubeSchedulerActor::options_of(const hosts::KubeSchedulerConfig& config) {
  PodSchedulerOptions options;
  options.percentage_of_nodes_to_score = config.percentage_of_nodes_to_score();
  options.resources.strategy = strategy_of(config.scoring());
  if (!config.resources().empty()) options.resources.resources.clear();
  for (const auto& resource : config.resources()) {
    options.resources.resources.push_back({resource.name(), resource.weight()});
  }
  if (!config.shape().empty()) options.resources.shape.clear();
  for (const auto& point : config.shape()) {
    options.resources.shape.push_back({point.utilization(), point.score()});
  }
  return options;
}

KubeSchedulerActor::KubeSchedulerActor(hosts::KubeSchedulerConfig config)
    : config_(std::move(config)),
      api_(ApiClientOptions::of(config_.client())),
      events_api_(events_client(config_.client())),
      events_(events_api_, name_of(config_), config_.write_events()),
      feed_(api_, name_of(config_), config_.pop_from_backoff()),
      scheduler_(options_of(config_)),
      eviction_(api_, events_, name_of(config_)) {}

void KubeSchedulerActor::start(Context& context) {
  feed_.start(context, [this](Context& later) { schedule_next(later); });
  context.set_timer(kFlushBackoffPeriod, Payload::of(schedulers::FlushBackoff{}));
  context.set_timer(kFlushUnschedulablePeriod, Payload::of(schedulers::FlushUnschedulable{}));
  if (config_.has_election()) begin_election(context);
}

void KubeSchedulerActor::begin_election(Context& context) {
  // The real process exits when it has lost, and is started again; its caches are filled before it
  // leads.
  const auto lost = [this](Context& later) {
    ++life_;
    in_cycle_.reset();
    feed_.begin_anew(later);
  };
  election_.emplace(config_.election());
  election_->start(
      context, [this](Context& later) { schedule_next(later); }, lost);
}

void KubeSchedulerActor::receive(Context& context, const Delivery& delivery) {
  if (api_.receive(context, delivery) || events_api_.receive(context, delivery)) return;
  if (election_ && election_->receive(context, delivery)) return;
  if (const auto* decided = delivery.as<schedulers::PodDecided>()) {
    end_cycle(context, *decided);
  } else if (delivery.as<schedulers::FlushBackoff>() != nullptr) {
    feed_.state().queue.flush_backoff(context.now());
    context.set_timer(kFlushBackoffPeriod, delivery.payload);
  } else if (delivery.as<schedulers::FlushUnschedulable>() != nullptr) {
    feed_.state().queue.flush_unschedulable(context.now());
    context.set_timer(kFlushUnschedulablePeriod, delivery.payload);
  }
  schedule_next(context);
}

bool KubeSchedulerActor::may_schedule() const {
  return !in_cycle_ && feed_.synced() && (!election_ || election_->leading());
}

void KubeSchedulerActor::schedule_next(Context& context) {
  while (may_schedule()) {
    auto queued = feed_.state().queue.pop(context.now());
    if (!queued) return;
    const std::string uid = queued->pod->uid();
    if (!begin_cycle(context, std::move(*queued))) feed_.state().queue.done(uid);
  }
}

bool KubeSchedulerActor::begin_cycle(Context& context, QueuedPod queued) {
  ClusterFeed::State& state = feed_.state();
  const auto pod = feed_.current(*queued.pod->pod);
  if (!pod || state.cache.node_of_pod(queued.pod->uid()) != nullptr) return false;
  if (pod->metadata().has_deletion_timestamp()) {
    events_.record(
        context, *pod,
        {"Warning", "FailedScheduling", "skip schedule deleting pod: " + queued.pod->full_name()});
    return false;
  }
  state.cache.refresh(state.snapshot);
  schedulers::PodDecided decided;
  const std::size_t examined = decide(context, *queued.pod, decided);
  const Duration cost{config_.cost_per_pod_ns() +
                      config_.cost_per_node_ns() * static_cast<std::int64_t>(examined)};
  in_cycle_ = std::move(queued);
  context.set_timer(cost, Payload::of(std::move(decided)));
  return true;
}

std::size_t KubeSchedulerActor::decide(Context& context, const scheduling::PodInfo& pod,
                                       schedulers::PodDecided& decided) {
  const ClusterFeed::State& state = feed_.state();
  const auto spread = feed_.default_spread(*pod.pod);
  const Decision decision = scheduler_.decide(
      {pod, state.snapshot, state.nominator, spread, [&] { return ties_.next(context); }});
  decided.set_uid(pod.uid());
  decided.set_node(decision.node);
  if (!decision.node.empty()) return decision.examined;
  decided.set_refused_by(plugins_of(decision.rejections));
  decided.set_message(fit_error(pod, decision.rejections));
  if (decision.rejections.empty()) return decision.examined;
  const Budgets budgets = feed_.budgets();
  const Preemption preemption = preempt({pod, state.snapshot, decision.rejections, state.nominator,
                                         budgets, [&] { return first_candidate_.next(context); }});
  if (!preemption.message.empty()) decided.mutable_message()->append(" " + preemption.message);
  decided.set_nominated_node(preemption.node);
  decided.set_gives_up(preemption.gives_up);
  for (const PodPtr& victim : preemption.victims) decided.add_victims(victim->uid());
  for (const PodPtr& other : preemption.displaced) decided.add_displaced(other->uid());
  return decision.examined + preemption.tried;
}

void KubeSchedulerActor::end_cycle(Context& context, const schedulers::PodDecided& decided) {
  // A decision of an earlier life, or of a leader that lost its lease meanwhile, is void.
  if (!in_cycle_ || in_cycle_->pod->uid() != decided.uid()) return;
  QueuedPod queued = *std::exchange(in_cycle_, std::nullopt);
  ClusterFeed::State& state = feed_.state();
  if (!feed_.current(*queued.pod->pod) || state.cache.node_of_pod(decided.uid()) != nullptr) {
    state.queue.done(decided.uid());
  } else if (!decided.node().empty()) {
    assume_and_bind(context, std::move(queued), decided.node());
  } else {
    refuse(context, std::move(queued), decided);
  }
}

void KubeSchedulerActor::assume_and_bind(Context& context, QueuedPod queued,
                                         const std::string& node) {
  ClusterFeed::State& state = feed_.state();
  const PodPtr pod = queued.pod;
  state.cache.assume(pod, node);
  state.nominator.withdraw(pod->uid());
  api_.bind(context, key_of(*pod->pod), pod->uid(), node,
            [this, queued = std::move(queued), node, life = life_](Context& later,
                                                                   const ApiResult& result) {
              if (life != life_) return;
              if (!result.ok()) {
                bind_failed(later, queued, node, result.message);
                return;
              }
              feed_.state().queue.done(queued.pod->uid());
              events_.record(later, *queued.pod->pod,
                             {"Normal", "Scheduled",
                              "Successfully assigned " + queued.pod->full_name() + " to " + node});
            });
}

void KubeSchedulerActor::bind_failed(Context& context, QueuedPod queued, const std::string& node,
                                     const std::string& why) {
  ClusterFeed::State& state = feed_.state();
  const PodPtr pod = queued.pod;
  state.cache.forget(pod->uid());
  // The room that was assumed away is free again, as if a pod had gone.
  state.queue.on_event({.kind = ClusterEvent::Kind::PodRemoved, .pod = pod}, context.now());
  const auto current = feed_.current(*pod->pod);
  const bool placed = state.cache.node_of_pod(pod->uid()) != nullptr;
  if (!current || placed || current->metadata().has_deletion_timestamp()) {
    state.queue.done(pod->uid());
    schedule_next(context);
    return;
  }
  schedulers::PodDecided decided;
  decided.set_message("binding rejected: running Bind plugin \"DefaultBinder\" on node " + node +
                      ": " + why);
  report(context, *current, "SchedulerError", decided);
  state.queue.requeue_failed(std::move(queued), context.now());
  schedule_next(context);
}

void KubeSchedulerActor::refuse(Context& context, QueuedPod queued,
                                const schedulers::PodDecided& decided) {
  ClusterFeed::State& state = feed_.state();
  const PodPtr pod = queued.pod;
  const auto current = feed_.current(*pod->pod);
  context.emit(scheduling::unschedulable_fact(*current, decided.message()));
  report(context, *current, "Unschedulable", decided);
  if (decided.gives_up()) state.nominator.withdraw(decided.uid());
  queued.held = !decided.nominated_node().empty();
  queued.refused_by = decided.refused_by();
  if (queued.refused_by == 0) {
    // There are no nodes at all: nothing refused the pod, so no event can be told to help it.
    state.queue.requeue_failed(std::move(queued), context.now());
  } else {
    state.queue.requeue_refused(std::move(queued), context.now());
  }
  if (!decided.nominated_node().empty()) clear_room(context, pod, decided);
}

void KubeSchedulerActor::clear_room(Context& context, const PodPtr& pod,
                                    const schedulers::PodDecided& decided) {
  ClusterFeed::State& state = feed_.state();
  for (const std::string& uid : decided.displaced()) {
    const PodPtr displaced = state.nominator.find(uid);
    if (!displaced) continue;
    state.nominator.withdraw(uid);
    eviction_.withdraw_nomination(context, *displaced->pod);
  }
  state.nominator.nominate(pod, decided.nominated_node());
  std::vector<std::shared_ptr<const k8s::Pod>> victims;
  for (const std::string& uid : decided.victims()) {
    if (const PodPtr victim = state.cache.find_pod(uid)) victims.push_back(victim->pod);
  }
  const auto when_alive = [this, life = life_](auto action) {
    return [this, life, action](Context& later) {
      if (life == life_) action(later);
    };
  };
  const auto retry = when_alive([this, uid = decided.uid()](Context& later) {
    feed_.state().queue.activate(uid, later.now());
    schedule_next(later);
  });
  // All have gone while the decision was made.
  if (victims.empty()) return retry(context);
  const auto unblock =
      when_alive([this, uid = decided.uid()](Context&) { feed_.state().queue.unblock(uid); });
  eviction_.evict(context, *pod, decided.nominated_node(), std::move(victims),
                  {.unblock = unblock, .failed = retry});
}

void KubeSchedulerActor::report(Context& context, const k8s::Pod& pod, std::string_view reason,
                                const schedulers::PodDecided& decided) {
  events_.record(context, pod, {"Warning", "FailedScheduling", decided.message()});
  auto patch = scheduling::not_scheduled_patch(pod, reason, decided.message(), context.now());
  const std::string& was = pod.status().nominated_node_name();
  const bool nominates = !decided.nominated_node().empty() && decided.nominated_node() != was;
  const bool clears = decided.gives_up() && !was.empty();
  if (!patch && !nominates && !clears) return;
  if (!patch) patch = scheduling::partial_of(pod);
  PatchOptions options{.subresource = "status", .strategic = true};
  if (nominates) patch->mutable_status()->set_nominated_node_name(decided.nominated_node());
  if (clears) options.clear.emplace_back("status.nominatedNodeName");
  api_.patch(context, std::move(*patch), options, [](Context&, const ApiResult&) {});
}

}  // namespace troupe::kube_scheduler
