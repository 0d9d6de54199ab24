#include "actors/serving/shard_actor.h"

#include <algorithm>
#include <utility>

#include "actors/serving/closed_port.h"
#include "actors/serving/exit_codes.h"
#include "actors/serving/shard_group.h"
#include "actors/serving/work_signals.h"
#include "messages/k8s/pod.pb.h"
#include "messages/runtime.pb.h"
#include "messages/telemetry.pb.h"

namespace troupe::serving {
namespace {

bool is_about_leader(const Delivery& delivery) {
  const auto& attached = delivery.payload.attachments();
  return delivery.as<runtime::ConnectionRefused>() != nullptr && !attached.empty() &&
         attached[0].as<ShardReady>() != nullptr;
}

}  // namespace

void ShardActor::receive(Context& context, const Delivery& delivery) {
  if (delivery.as<InferRequest>() != nullptr ||
      delivery.as<telemetry::ScrapeRequest>() != nullptr) {
    // A worker has no server.
    return refuse(context, delivery);
  }
  if (ended_) return;
  if (const auto* probe = delivery.as<workload::ProbeRequest>()) {
    // A worker's probes, where it has any, ask whether its process is up.
    workload::ProbeReply reply;
    reply.set_probe_id(probe->probe_id());
    reply.set_success(!terminating_);
    context.send(delivery.sender, Payload::of(std::move(reply)), {});
  } else if (const auto* reply = delivery.as<ShardReadyReply>()) {
    session_ = reply->session();
    heard_at_ = context.now();
  } else if (delivery.as<HeartbeatDue>() != nullptr) {
    heartbeat(context);
  } else if (delivery.as<LeaderLookupDue>() != nullptr) {
    look_up(context);
  } else if (const auto* news = delivery.as<ShardWork>()) {
    work(context, *news);
  } else if (const auto* lost = delivery.as<ShardLost>()) {
    exit(context, lost->exit_code() == 0 ? 0 : kExitError);
  } else if (const auto* sigterm = delivery.as<workload::Terminate>()) {
    terminate(context, *sigterm);
  } else if (delivery.as<GraceEnded>() != nullptr) {
    exit(context, kExitKilled);
  } else if (is_about_leader(delivery)) {
    refused(context);
  } else {
    api_.receive(context, delivery);
  }
}

void ShardActor::look_up(Context& context) {
  api_.get(context, object_key("Pod", placement_.leader_namespace(), placement_.leader_pod()),
           [this](Context& later, const ApiResult& result) { found(later, result); });
}

void ShardActor::found(Context& context, const ApiResult& result) {
  if (ended_) return;
  const auto* pod = result.ok() ? result.object().as<k8s::Pod>() : nullptr;
  if (pod == nullptr || pod->status().pod_ip().empty()) {
    context.set_timer(kLookupPeriod, Payload::of(LeaderLookupDue{}));
    return;
  }
  leader_ = address_of(pod->status().pod_ip());
  heard_at_ = context.now();
  say_ready(context);
}

void ShardActor::heartbeat(Context& context) {
  if (context.now() - heard_at_ <= ShardGroup::kSilence) return say_ready(context);
  if (session_ != 0) return exit(context, kExitError);  // the leader's node is gone
  look_up(context);
}

void ShardActor::say_ready(Context& context) {
  ShardReady ready;
  ready.set_pod_uid(placement_.pod_uid());
  ready.set_group_index(placement_.group_index());
  ready.set_node(placement_.node());
  ready.set_link_domain(placement_.link_domain());
  ready.set_gpus(static_cast<std::uint32_t>(placement_.gpu_paths_size()));
  ready.set_session(session_);
  context.send(leader_, Payload::of(std::move(ready)), {.link = Link::DataPlane, .stream = 1});
  heartbeat_ = context.set_timer(ShardGroup::kHeartbeat, Payload::of(HeartbeatDue{}));
}

/// Nobody listens at the leader's address: not yet, or not any more.
void ShardActor::refused(Context& context) {
  if (session_ != 0) return exit(context, kExitError);
  context.cancel_timer(heartbeat_);
  context.set_timer(kLookupPeriod, Payload::of(LeaderLookupDue{}));
}

void ShardActor::work(Context& context, const ShardWork& work) {
  if (work.running() != running_) tell_gpus(context, placement_, work.running());
  running_ = work.running();
  tell_gpus_memory(context, placement_, work.memory_mib());
}

void ShardActor::terminate(Context& context, const workload::Terminate& terminate) {
  if (session_ == 0) return exit(context, kExitTerminated);
  terminating_ = true;
  const Duration grace = std::max(Duration{terminate.grace_ns()} - Duration{1}, Duration{0});
  context.set_timer(grace, Payload::of(GraceEnded{}));
}

void ShardActor::exit(Context& context, std::int32_t code) {
  ended_ = true;
  if (running_) {
    tell_gpus(context, placement_, false);
    // The leader says it for all, unless it is gone.
    facts::WorkloadIdle idle;
    idle.set_uid(placement_.pod_uid());
    context.emit(Payload::of(std::move(idle)));
  }
  if (leader_) {
    ShardLost lost;
    lost.set_group_index(placement_.group_index());
    lost.set_exit_code(code);
    context.send(leader_, Payload::of(std::move(lost)), {.link = Link::DataPlane, .stream = 1});
  }
  workload::Exited exited;
  exited.set_exit_code(code);
  exited.set_reason(code == 0 ? "Completed" : "Error");
  context.send(address_of(host_of(context.path())), Payload::of(std::move(exited)), {});
}

}  // namespace troupe::serving
