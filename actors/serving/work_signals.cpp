#include "actors/serving/work_signals.h"

#include "messages/workload.pb.h"

namespace troupe::serving {

void tell_gpus(Context& context, const ReplicaPlacement& placement, bool running) {
  Payload message;
  if (running) {
    workload::GpuBusy busy;
    busy.set_uid(placement.pod_uid());
    message = Payload::of(std::move(busy));
  } else {
    workload::GpuIdle idle;
    idle.set_uid(placement.pod_uid());
    message = Payload::of(std::move(idle));
  }
  for (const std::string& gpu : placement.gpu_paths()) context.send(address_of(gpu), message, {});
}

void tell_gpus_memory(Context& context, const ReplicaPlacement& placement, std::int64_t mib) {
  workload::GpuMemory memory;
  memory.set_uid(placement.pod_uid());
  memory.set_used_mib(mib);
  const Payload message = Payload::of(std::move(memory));
  for (const std::string& gpu : placement.gpu_paths()) context.send(address_of(gpu), message, {});
}

template <class Fact, class Fill>
void WorkSignals::emit_for_all(Context& context, const Fill& fill) const {
  const auto emit = [&](const std::string& uid) {
    Fact fact;
    fact.set_uid(uid);
    fill(fact);
    context.emit(Payload::of(std::move(fact)));
  };
  emit(placement_.pod_uid());
  for (const GroupMember& member : members_) emit(member.pod_uid);
}

void WorkSignals::work(Context& context, bool running) {
  if (running == running_) return;
  running_ = running;
  tell_gpus(context, placement_, running);
  tell_members(context);
  if (running) {
    emit_for_all<facts::WorkloadBusy>(context, [](auto&) {});
  } else {
    emit_for_all<facts::WorkloadIdle>(context, [](auto&) {});
  }
}

void WorkSignals::memory(Context& context, std::int64_t mib) {
  memory_mib_ = mib;
  tell_gpus_memory(context, placement_, mib);
  tell_members(context);
}

void WorkSignals::stage(Context& context, facts::WorkloadStage::Stage stage) const {
  emit_for_all<facts::WorkloadStage>(context, [stage](auto& fact) { fact.set_stage(stage); });
}

void WorkSignals::tell_members(Context& context) const {
  if (members_.empty()) return;
  ShardWork work;
  work.set_running(running_);
  work.set_memory_mib(memory_mib_);
  const Payload message = Payload::of(std::move(work));
  for (const GroupMember& member : members_) {
    context.send(member.address, message, {.link = Link::DataPlane, .stream = 1});
  }
}

}  // namespace troupe::serving
