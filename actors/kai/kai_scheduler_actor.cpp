#include "actors/kai/kai_scheduler_actor.h"

#include <algorithm>
#include <utility>

#include "actors/kai/cycle.h"
#include "actors/kai/decision.h"
#include "actors/kai/reconciler_options.h"
#include "messages/schedulers.pb.h"

namespace troupe::kai {
namespace {

/// What a pod adds to the snapshot, placed or not: 2.2 s of a cycle over 140,000 pods (KAI issue
/// 315).
constexpr Duration kSnapshotPerTask = std::chrono::microseconds(16);

/// KAI, cmd/scheduler/app/options: schedule-period.
constexpr Duration kSchedulePeriod = std::chrono::seconds(1);

/// A session on the same cluster comes to the same end, except where a gang's grace runs out
/// meanwhile.
bool is_idle(const Session& session) {
  return session.commits().empty() &&
         std::none_of(session.jobs().begin(), session.jobs().end(),
                      [](const auto& job) { return job->stale_since.has_value(); });
}

std::int64_t task_count(const Session& session) {
  std::int64_t count = 0;
  for (const auto& job : session.jobs()) count += static_cast<std::int64_t>(job->tasks.size());
  return count;
}

}  // namespace

SessionOptions KaiSchedulerActor::options_of(const hosts::KaiConfig& config) {
  SessionOptions options;
  if (!config.scheduler_name().empty()) options.scheduler_name = config.scheduler_name();
  options.staleness_grace = Duration{config.staleness_grace_ns()};
  options.spread_gpus = config.gpu_placement() == "spread";
  options.spread_cpus = config.cpu_placement() == "spread";
  return options;
}

KaiSchedulerActor::KaiSchedulerActor(hosts::KaiConfig config)
    : config_(std::move(config)),
      api_(ApiClientOptions::of(config_.client())),
      events_api_(events_client(config_.client())),
      events_(events_api_, options_of(config_).scheduler_name, config_.write_events()),
      view_(api_, options_of(config_)),
      writer_(api_, events_, view_, options_of(config_).scheduler_name),
      reporter_(api_, events_, view_) {}

void KaiSchedulerActor::start(Context& context) {
  view_.start(context);
  rest(context);
}

void KaiSchedulerActor::receive(Context& context, const Delivery& delivery) {
  if (api_.receive(context, delivery) || events_api_.receive(context, delivery)) return;
  if (delivery.as<schedulers::KaiCycle>() != nullptr) {
    view_.synced() ? begin_cycle(context) : rest(context);
  } else if (const auto* decided = delivery.as<schedulers::KaiDecided>()) {
    end_cycle(context, *decided);
  }
}

void KaiSchedulerActor::begin_cycle(Context& context) {
  const auto stale = view_.stale_requests();
  deletions_left_ = stale.size();
  for (const auto& request : stale) {
    api_.remove(context, key_of(*request), {.uid = request->metadata().uid()},
                [this](Context& later, const ApiResult&) {
                  if (--deletions_left_ == 0) decide(later);
                });
  }
  if (stale.empty()) decide(context);
}

void KaiSchedulerActor::decide(Context& context) {
  if (view_.version() == idle_version_) {
    schedulers::KaiDecided as_before;
    as_before.set_as_before(true);
    context.set_timer(idle_cost_, Payload::of(std::move(as_before)));
    return;
  }
  const std::uint64_t version = view_.version();
  Cycle cycle(view_.session_input(context.now()));
  cycle.run();
  const Session& session = cycle.session();
  const Duration cost = cost_of(session);
  if (is_idle(session)) {
    idle_version_ = version;
    idle_cost_ = cost;
  }
  context.set_timer(cost, Payload::of(decision_of(session)));
}

Duration KaiSchedulerActor::cost_of(const Session& session) const {
  const auto attempted = static_cast<std::int64_t>(session.attempted_tasks());
  const auto nodes = static_cast<std::int64_t>(session.nodes().size());
  return Duration{config_.base_cost_ns() + config_.cost_per_task_ns() * attempted +
                  config_.cost_per_node_ns() * nodes} +
         kSnapshotPerTask * task_count(session);
}

void KaiSchedulerActor::end_cycle(Context& context, const schedulers::KaiDecided& decided) {
  if (decided.as_before()) {
    rest(context);
    return;
  }
  writer_.write(context, decided, [this, decided](Context& later) {
    reporter_.report(later, decided);
    rest(later);
  });
}

void KaiSchedulerActor::rest(Context& context) {
  const Duration period =
      config_.schedule_period_ns() > 0 ? Duration{config_.schedule_period_ns()} : kSchedulePeriod;
  context.set_timer(period, Payload::of(schedulers::KaiCycle{}));
}

}  // namespace troupe::kai
