#include "actors/serving/replica_actor.h"

#include <algorithm>
#include <utility>

#include "actors/serving/closed_port.h"
#include "actors/serving/exit_codes.h"
#include "actors/serving/shard_actor.h"
#include "messages/hash.h"
#include "messages/runtime.pb.h"

namespace troupe::serving {
ReplicaActor::ReplicaActor(std::shared_ptr<const ServingWorkload> workload,
                           ReplicaPlacement placement, bool loaded)
    : workload_(std::move(workload)),
      placement_(std::move(placement)),
      loaded_(loaded),
      signals_(placement_) {}

void ReplicaActor::start(Context& context) {
  if (!is_group()) return begin_loading(context);
  group_.emplace(placement_, mix(context.self().actor, context.self().incarnation) | 1);
  context.set_timer(ShardGroup::kHeartbeat, Payload::of(ShardsDue{}));
}

void ReplicaActor::receive(Context& context, const Delivery& delivery) {
  if (phase_ == Phase::Ended) {
    if (delivery.as<InferRequest>() != nullptr) refuse(context, delivery);
    return;
  }
  if (const auto* probe = delivery.as<workload::ProbeRequest>()) {
    answer_probe(context, delivery, *probe);
  } else if (const auto* terminate_now = delivery.as<workload::Terminate>()) {
    terminate(context, *terminate_now);
  } else if (const auto* pace = delivery.as<workload::SetPace>()) {
    pace_permille_ = pace->permille();
    if (server_ != nullptr) server_->set_pace(context, pace_permille_);
  } else if (delivery.as<LoadStageEnded>() != nullptr) {
    ++step_;
    next_step(context);
  } else if (delivery.as<GraceEnded>() != nullptr) {
    end_at_grace(context);
  } else if (const auto* ready = delivery.as<ShardReady>()) {
    join(context, delivery, *ready);
  } else if (const auto* lost = delivery.as<ShardLost>()) {
    leave(context, *lost);
  } else if (delivery.as<ShardsDue>() != nullptr) {
    check_shards(context);
  } else {
    ask_server(context, delivery);
  }
}

/// What is for the server: refused where its port is closed, unless it belongs to a request in
/// flight.
void ReplicaActor::ask_server(Context& context, const Delivery& delivery) {
  if (const auto* request = delivery.as<InferRequest>()) {
    if (!listening()) return refuse(context, delivery);
    server_->infer(context, delivery, *request);
  } else if (const auto* scrape = delivery.as<telemetry::ScrapeRequest>()) {
    if (!listening()) return refuse(context, delivery);
    server_->scrape(context, delivery, *scrape);
  } else if (server_ == nullptr) {
    return;
  } else if (delivery.as<EngineDue>() != nullptr) {
    server_->due(context);
  } else if (const auto* cancel = delivery.as<CancelRequest>()) {
    server_->cancel(context, delivery.sender, cancel->request_id());
  } else if (delivery.as<runtime::ConnectionRefused>() != nullptr) {
    server_->undeliverable(context, delivery);
  }
  end_if_drained(context);
}

// ---- loading ----

void ReplicaActor::begin_loading(Context& context) {
  phase_ = Phase::Loading;
  if (loaded_) return serve(context);
  steps_ = plan_load(*workload_, placement_, random_bits_of(context));
  step_ = 0;
  next_step(context);
}

void ReplicaActor::next_step(Context& context) {
  if (step_ == 1) {
    const std::int64_t shards = parallelism().tensor_parallel;
    signals_.memory(context, workload_->model().weight_bytes() / shards / (1024 * 1024));
    // Whatever vLLM finds wrong it finds when it sizes the cache, after the weights.
    if (const auto checked = setup(); !checked)
      return exit(context, kExitError, checked.error().message);
  }
  if (step_ == steps_.size()) return serve(context);
  if (step_ == 0) signals_.stage(context, facts::WorkloadStage::WEIGHTS);
  if (step_ == 1) signals_.stage(context, facts::WorkloadStage::ENGINE_INIT);
  context.set_timer(steps_[step_].duration, Payload::of(LoadStageEnded{}));
}

void ReplicaActor::serve(Context& context) {
  const auto ready = setup();
  if (!ready) return exit(context, kExitError, ready.error().message);
  phase_ = Phase::Serving;
  server_ = std::make_unique<EngineServer>(ready->config, workload_->model().name(),
                                           placement_.pod_uid(), signals_);
  if (pace_permille_ != Engine::kFullPace) server_->set_pace(context, pace_permille_);
  describe(context, *ready);
  signals_.memory(context, ready->memory_mib);
  signals_.stage(context, facts::WorkloadStage::READY);
}

Parallelism ReplicaActor::parallelism() const {
  if (group_) return {group_->gpus(), group_->one_link_domain()};
  return {static_cast<std::uint32_t>(placement_.gpu_paths_size()), true};
}

Result<EngineSetup> ReplicaActor::setup() const {
  return derive_engine(*workload_, *find_gpu(*workload_, placement_.gpu_model()), parallelism());
}

void ReplicaActor::describe(Context& context, const EngineSetup& setup) const {
  const std::uint32_t gpus = parallelism().tensor_parallel;
  facts::ReplicaDescribed fact;
  fact.set_uid(placement_.pod_uid());
  fact.set_service(workload_->service());
  fact.set_model(workload_->model().name());
  fact.set_gpu(placement_.gpu_model());
  fact.set_tensor_parallel(gpus);
  fact.set_kv_tokens(static_cast<std::uint64_t>(setup.kv_tokens));
  context.emit(Payload::of(std::move(fact)));
  if (!setup.extrapolated) return;
  facts::ModelExtrapolated extrapolated;
  extrapolated.set_model(workload_->model().name());
  extrapolated.set_gpu(placement_.gpu_model());
  extrapolated.set_tensor_parallel(gpus);
  context.emit(Payload::of(std::move(extrapolated)));
}

// ---- the group ----

void ReplicaActor::join(Context& context, const Delivery& delivery, const ShardReady& ready) {
  if (!group_) return;
  if (!group_->heard(ready, delivery.sender, context.now())) {
    ShardLost lost;
    lost.set_exit_code(kExitError);
    context.send(delivery.sender, Payload::of(std::move(lost)),
                 {.link = Link::DataPlane, .stream = 1});
    return;
  }
  ShardReadyReply reply;
  reply.set_session(group_->session());
  context.send(delivery.sender, Payload::of(std::move(reply)),
               {.link = Link::DataPlane, .stream = 1});
  if (phase_ != Phase::Gathering || !group_->complete()) return;
  signals_.set_members(group_->members());
  begin_loading(context);
}

void ReplicaActor::leave(Context& context, const ShardLost& lost) {
  if (!group_) return;
  if (phase_ == Phase::Gathering) return group_->left(lost.group_index());
  exit(context, kExitError, "a worker of the group is gone");
}

void ReplicaActor::check_shards(Context& context) {
  if (phase_ != Phase::Gathering && group_->lost(context.now())) {
    return exit(context, kExitError, "a worker of the group does not answer");
  }
  context.set_timer(ShardGroup::kHeartbeat, Payload::of(ShardsDue{}));
}

// ---- the end ----

void ReplicaActor::terminate(Context& context, const workload::Terminate& terminate) {
  if (phase_ != Phase::Serving && phase_ != Phase::Draining) {
    return exit(context, kExitTerminated, "terminated while it was loading");
  }
  phase_ = Phase::Draining;
  // A nanosecond before the kubelet kills it, which it could not report any more.
  const Duration grace = std::max(Duration{terminate.grace_ns()} - Duration{1}, Duration{0});
  if (grace_timer_ != 0) context.cancel_timer(grace_timer_);
  grace_timer_ = context.set_timer(grace, Payload::of(GraceEnded{}));
  end_if_drained(context);
}

void ReplicaActor::end_if_drained(Context& context) {
  if (phase_ == Phase::Draining && server_->idle()) exit(context, 0, "Completed");
}

void ReplicaActor::end_at_grace(Context& context) {
  if (phase_ == Phase::Draining)
    exit(context, kExitKilled, "killed at the end of its grace period");
}

void ReplicaActor::exit(Context& context, std::int32_t code, const std::string& reason) {
  phase_ = Phase::Ended;
  if (grace_timer_ != 0) context.cancel_timer(grace_timer_);
  if (server_) {
    server_->reset_all(context, reason);
    server_->shut_down(context);
  }
  if (group_) {
    ShardLost lost;
    lost.set_exit_code(code);
    const Payload message = Payload::of(std::move(lost));
    for (const GroupMember& member : group_->members()) {
      context.send(member.address, message, {.link = Link::DataPlane, .stream = 1});
    }
  }
  workload::Exited exited;
  exited.set_exit_code(code);
  exited.set_reason(code == 0 ? "Completed" : "Error");
  context.send(address_of(host_of(context.path())), Payload::of(std::move(exited)), {});
}

void ReplicaActor::answer_probe(Context& context, const Delivery& delivery,
                                const workload::ProbeRequest& probe) {
  workload::ProbeReply reply;
  reply.set_probe_id(probe.probe_id());
  reply.set_success(listening());
  context.send(delivery.sender, Payload::of(std::move(reply)), {});
}

std::unique_ptr<Actor> make_replica(std::shared_ptr<const ServingWorkload> workload,
                                    const ReplicaPlacement& placement, bool loaded) {
  if (workload == nullptr || placement.gpu_paths_size() == 0) return nullptr;
  if (find_gpu(*workload, placement.gpu_model()) == nullptr) return nullptr;
  if (placement.group_size() > 1 && placement.group_index() > 0) {
    return std::make_unique<ShardActor>(placement);
  }
  return std::make_unique<ReplicaActor>(std::move(workload), placement, loaded);
}

}  // namespace troupe::serving
