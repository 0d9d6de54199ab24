#include "emulator/report/gpu_account.h"

#include <algorithm>

namespace troupe {
namespace {

constexpr std::uint32_t kWholeGpu = 1000;  // milli-GPU

GpuTime gpu_time(Duration duration, std::uint32_t milli) {
  return static_cast<GpuTime>(duration.count()) * milli;
}

}  // namespace

double to_minutes(GpuTime time) {
  // Micro-minutes first: exact in 64 bits, and fine enough for any report.
  constexpr std::int64_t kNanoMilliPerMicroMinute = 60'000LL * kWholeGpu;
  return static_cast<double>(static_cast<std::int64_t>(time / kNanoMilliPerMicroMinute)) / 1e6;
}

void GpuAccount::on_fact(const FactRecord& record) {
  const SimTime now = record.key.time;
  const Payload& fact = record.fact;
  settle_gangs(now);
  if (const auto* f = fact.as<facts::InstanceLaunched>()) return launch(now, *f);
  if (const auto* f = fact.as<facts::InstanceTerminated>()) return end_node(now, f->node());
  if (const auto* f = fact.as<facts::GpuAllocatable>()) {
    if (const auto node = nodes_.find(f->node()); node != nodes_.end()) {
      for (Gpu& gpu : node->second.gpus) settle(now, node->second, gpu);
      node->second.down = false;
    }
    return change_gpu(now, f->node(), f->gpu(), &Gpu::allocatable, true);
  }
  if (const auto* f = fact.as<facts::GpuFaulted>()) {
    return change_gpu(now, f->node(), f->gpu(), &Gpu::faulty, true);
  }
  if (const auto* f = fact.as<facts::GpuRecovered>()) {
    return change_gpu(now, f->node(), f->gpu(), &Gpu::faulty, false);
  }
  if (const auto* f = fact.as<facts::DevicesAssigned>()) return assign(now, *f);
  if (const auto* f = fact.as<facts::DevicesReleased>()) return release(now, f->uid());
  if (const auto* f = fact.as<facts::PodDeletionRequested>()) {
    terminating_.insert(f->uid());
    return change_pod(now, f->uid(), &Pod::terminating, true);
  }
  if (const auto* f = fact.as<facts::PodDeleted>()) {
    terminating_.erase(f->uid());
    return;
  }
  if (const auto* f = fact.as<facts::ReplicaDescribed>()) {
    return change_pod(now, f->uid(), &Pod::serving, true);
  }
  if (const auto* f = fact.as<facts::WorkloadStage>()) {
    return change_pod(now, f->uid(), &Pod::ready, f->stage() == facts::WorkloadStage::READY);
  }
  if (const auto* f = fact.as<facts::WorkloadBusy>())
    return change_pod(now, f->uid(), &Pod::busy, true);
  if (const auto* f = fact.as<facts::WorkloadIdle>())
    return change_pod(now, f->uid(), &Pod::busy, false);
  if (const auto* f = fact.as<facts::HostCrashed>()) return crash(now, f->host());
}

void GpuAccount::finish(SimTime end) {
  for (auto& [name, node] : nodes_) {
    for (Gpu& gpu : node.gpus) settle(end, node, gpu);
    provisioned_ +=
        gpu_time(end - node.launched, kWholeGpu) * static_cast<std::int64_t>(node.gpus.size());
    node.launched = end;
  }
}

void GpuAccount::launch(SimTime now, const facts::InstanceLaunched& fact) {
  if (nodes_.contains(fact.node())) return;  // its kubelet started again: the same instance
  Node node;
  node.launched = now;
  node.gpus.resize(fact.gpus());
  for (Gpu& gpu : node.gpus) gpu.since = now;
  nodes_[fact.node()] = std::move(node);
}

void GpuAccount::end_node(SimTime now, const std::string& name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  Node& node = found->second;
  for (Gpu& gpu : node.gpus) {
    settle(now, node, gpu);
    for (const Share& share : gpu.shares) pods_.erase(share.uid);
  }
  provisioned_ +=
      gpu_time(now - node.launched, kWholeGpu) * static_cast<std::int64_t>(node.gpus.size());
  nodes_.erase(found);
}

void GpuAccount::assign(SimTime now, const facts::DevicesAssigned& fact) {
  const auto node = nodes_.find(fact.node());
  if (node == nodes_.end()) return;
  Pod& pod = pods_[fact.uid()];
  pod.node = fact.node();
  pod.gpus.assign(fact.gpus().begin(), fact.gpus().end());
  pod.terminating = terminating_.contains(fact.uid());
  pod.stranded = gangs_.incomplete(fact.uid());
  for (const std::uint32_t index : fact.gpus()) {
    Gpu& gpu = node->second.gpus.at(index);
    settle(now, node->second, gpu);
    gpu.shares.push_back({fact.uid(), fact.milli_gpu_each()});
  }
}

void GpuAccount::release(SimTime now, const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  settle_pod(now, uid);
  if (const auto node = nodes_.find(found->second.node); node != nodes_.end()) {
    for (const std::uint32_t index : found->second.gpus) {
      std::erase_if(node->second.gpus.at(index).shares,
                    [&uid](const Share& share) { return share.uid == uid; });
    }
  }
  pods_.erase(found);
}

// A node that is down holds its pods no more: their memory is gone. Its GPUs cost as before.
void GpuAccount::crash(SimTime now, const std::string& host) {
  constexpr std::string_view kNodePrefix = "node/";
  if (!host.starts_with(kNodePrefix)) return;
  const auto found = nodes_.find(host.substr(kNodePrefix.size()));
  if (found == nodes_.end()) return;
  Node& node = found->second;
  for (Gpu& gpu : node.gpus) settle(now, node, gpu);
  // Only then: a pod may hold several GPUs.
  for (Gpu& gpu : node.gpus) {
    for (const Share& share : gpu.shares) pods_.erase(share.uid);
    gpu.shares.clear();
  }
  node.down = true;
}

void GpuAccount::change_gpu(SimTime now, const std::string& name, std::uint32_t index,
                            bool Gpu::*field, bool value) {
  const auto node = nodes_.find(name);
  if (node == nodes_.end() || index >= node->second.gpus.size()) return;
  Gpu& gpu = node->second.gpus[index];
  settle(now, node->second, gpu);
  gpu.*field = value;
}

void GpuAccount::change_pod(SimTime now, const std::string& uid, bool Pod::*field, bool value) {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) return;
  settle_pod(now, uid);
  pod->second.*field = value;
}

void GpuAccount::settle_pod(SimTime now, const std::string& uid) {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) return;
  const auto node = nodes_.find(pod->second.node);
  if (node == nodes_.end()) return;
  for (const std::uint32_t index : pod->second.gpus) {
    settle(now, node->second, node->second.gpus.at(index));
  }
}

// A gang that became complete, or no longer is, changes the class of its members' GPUs from this
// moment on.
void GpuAccount::settle_gangs(SimTime now) {
  for (const std::string& uid : gangs_.changed()) {
    change_pod(now, uid, &Pod::stranded, gangs_.incomplete(uid));
  }
}

void GpuAccount::settle(SimTime now, const Node& node, Gpu& gpu) {
  const Duration span = now - gpu.since;
  gpu.since = now;
  if (span == Duration::zero()) return;
  const auto add = [this, span](GpuClass gpu_class, std::uint32_t milli) {
    totals_[static_cast<std::size_t>(gpu_class)] += gpu_time(span, milli);
  };
  if (!gpu.allocatable) return add(GpuClass::Booting, kWholeGpu);
  if (gpu.faulty || node.down) return add(GpuClass::Faulty, kWholeGpu);
  std::uint32_t held = 0;
  for (const Share& share : gpu.shares) {
    add(class_of(share.uid), share.milli);
    if (!pods_.at(share.uid).serving) not_serving_ += gpu_time(span, share.milli);
    held += share.milli;
  }
  if (held < kWholeGpu) add(GpuClass::Unallocated, kWholeGpu - held);
}

GpuClass GpuAccount::class_of(const std::string& uid) const {
  const Pod& pod = pods_.at(uid);
  if (pod.terminating) return GpuClass::Draining;
  if (pod.stranded) return GpuClass::Stranded;
  if (!pod.ready) return GpuClass::Loading;
  return pod.busy ? GpuClass::Busy : GpuClass::Ready;
}

}  // namespace troupe
