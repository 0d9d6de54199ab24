#include "actors/lessons/toy_replicas.h"

#include <algorithm>
#include <utility>

#include "messages/facts.pb.h"

namespace troupe::lessons {
namespace {

constexpr std::uint32_t kGpu = 0;  // a replica's machine has one

Payload stage_fact(const std::string& uid, facts::WorkloadStage::Stage stage) {
  facts::WorkloadStage fact;
  fact.set_uid(uid);
  fact.set_stage(stage);
  return Payload::of(std::move(fact));
}

template <class Fact>
Payload uid_fact(const std::string& uid) {
  Fact fact;
  fact.set_uid(uid);
  return Payload::of(std::move(fact));
}

}  // namespace

ToyReplicas::ToyReplicas(const ToyConfig& config, std::string name, std::vector<Payload>& facts)
    : config_(config), name_(std::move(name)), facts_(facts) {}

ToyReplica& ToyReplicas::add() {
  ToyReplica& replica = replicas_.emplace_back();
  replica.name = name_ + "-" + std::to_string(++launched_);
  facts::InstanceLaunched fact;
  fact.set_instance(replica.name);
  fact.set_node(replica.name);
  fact.set_instance_type("toy");
  fact.set_capacity_type("on-demand");
  fact.set_gpus(1);
  fact.set_price_micro_usd_per_hour(config_.price_micro_usd_per_hour());
  facts_.push_back(Payload::of(std::move(fact)));
  return replica;
}

void ToyReplicas::begin(Duration now) {
  ToyReplica& replica = add();
  allocate_gpu(replica);
  finish_loading(replica);
  replica.state = ReplicaState::Free;
  replica.free_since = now;
}

void ToyReplicas::launch(Duration now) {
  add().until = now + Duration{config_.node_boot_ns()};
}

void ToyReplicas::allocate_gpu(const ToyReplica& replica) {
  facts::GpuAllocatable allocatable;
  allocatable.set_node(replica.name);
  allocatable.set_gpu(kGpu);
  facts_.push_back(Payload::of(std::move(allocatable)));
  facts::DevicesAssigned assigned;
  assigned.set_uid(replica.name);
  assigned.set_name(replica.name);
  assigned.set_node(replica.name);
  assigned.add_gpus(kGpu);
  assigned.set_milli_gpu_each(1000);
  facts_.push_back(Payload::of(std::move(assigned)));
  facts_.push_back(stage_fact(replica.name, facts::WorkloadStage::WEIGHTS));
}

void ToyReplicas::finish_loading(ToyReplica& replica) {
  replica.state = ReplicaState::Held;
  facts_.push_back(stage_fact(replica.name, facts::WorkloadStage::READY));
}

void ToyReplicas::end_stage(ToyReplica& replica, Duration now, bool service_point) {
  if (replica.state == ReplicaState::Booting && replica.until <= now) {
    allocate_gpu(replica);
    replica.state = ReplicaState::Loading;
    replica.until += Duration{config_.model_load_ns()};
  }
  if (replica.state == ReplicaState::Loading && replica.until <= now && service_point) {
    finish_loading(replica);
  }
  if (replica.state == ReplicaState::Serving && replica.until <= now) {
    replica.state = ReplicaState::Held;
  }
}

void ToyReplicas::advance(Duration now, bool service_point) {
  for (ToyReplica& replica : replicas_) end_stage(replica, now, service_point);
  end_removals(now);
}

void ToyReplicas::end_removals(Duration now) {
  for (const ToyReplica& replica : replicas_) {
    if (replica.state == ReplicaState::Removing && replica.until <= now) terminate(replica, now);
  }
  std::erase_if(replicas_, [now](const ToyReplica& replica) {
    return replica.state == ReplicaState::Removing && replica.until <= now;
  });
}

void ToyReplicas::offer(Duration now, const TakeRequest& take) {
  for (ToyReplica& replica : replicas_) {
    const bool was_free = replica.state == ReplicaState::Free;
    if (!was_free && replica.state != ReplicaState::Held) continue;
    if (const std::optional<Duration> until = take()) {
      if (was_free) idle_ += now - replica.free_since;
      replica.state = ReplicaState::Serving;
      replica.until = *until;
      facts_.push_back(uid_fact<facts::WorkloadBusy>(replica.name));
    } else if (!was_free) {
      replica.state = ReplicaState::Free;
      replica.free_since = now;
      facts_.push_back(uid_fact<facts::WorkloadIdle>(replica.name));
    }
  }
}

void ToyReplicas::remove_free(Duration now, Duration later) {
  const auto free = std::find_if(replicas_.begin(), replicas_.end(), [](const ToyReplica& one) {
    return one.state == ReplicaState::Free;
  });
  if (free == replicas_.end()) return;
  free->state = ReplicaState::Removing;
  free->until = now + later;
  end_removals(now);
}

void ToyReplicas::terminate(const ToyReplica& replica, Duration now) {
  const bool was_free = replica.state == ReplicaState::Free;
  if (was_free || replica.state == ReplicaState::Removing) idle_ += now - replica.free_since;
  if (replica.state != ReplicaState::Booting) {
    facts::DevicesReleased released;
    released.set_uid(replica.name);
    released.set_node(replica.name);
    facts_.push_back(Payload::of(std::move(released)));
  }
  facts::InstanceTerminated fact;
  fact.set_instance(replica.name);
  fact.set_node(replica.name);
  fact.set_reason("deleted");
  facts_.push_back(Payload::of(std::move(fact)));
}

void ToyReplicas::close(Duration now) {
  for (const ToyReplica& replica : replicas_) terminate(replica, now);
  replicas_.clear();
}

std::optional<Duration> ToyReplicas::next_change(Duration now) const {
  std::optional<Duration> next;
  for (const ToyReplica& replica : replicas_) {
    const bool waits = replica.state == ReplicaState::Free || replica.state == ReplicaState::Held;
    if (waits || replica.until <= now) continue;
    next = std::min(next.value_or(replica.until), replica.until);
  }
  return next;
}

}  // namespace troupe::lessons
