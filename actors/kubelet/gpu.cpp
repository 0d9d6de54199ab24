#include "actors/kubelet/gpu.h"

#include <algorithm>
#include <array>
#include <utility>

#include "messages/facts.pb.h"
#include "messages/hash.h"

namespace troupe::kubelet {
namespace {

constexpr std::array<std::uint32_t, 6> kApplicationXids = {13, 31, 43, 45, 68, 109};

/// NVML's form of a device's name: "GPU-" and a UUID. The same GPU has the same one in every run.
std::string uuid_of(const std::string& path) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::array<std::size_t, 4> kDashesBefore = {8, 12, 16, 20};
  const std::uint64_t high = hash_bytes(path);
  const std::uint64_t low = mix(high, path.size());
  std::string uuid = "GPU-";
  for (std::size_t i = 0; i < 32; ++i) {
    if (std::find(kDashesBefore.begin(), kDashesBefore.end(), i) != kDashesBefore.end())
      uuid += '-';
    const std::uint64_t word = i < 16 ? high : low;
    uuid += kDigits[(word >> (60 - 4 * (i % 16))) & 0xf];
  }
  return uuid;
}

template <class Fact>
Fact about(const GpuSpec& spec) {
  Fact fact;
  fact.set_node(spec.node);
  fact.set_gpu(spec.index);
  return fact;
}

}  // namespace

bool is_application_xid(std::uint32_t xid) {
  return std::find(kApplicationXids.begin(), kApplicationXids.end(), xid) != kApplicationXids.end();
}

GpuActor::GpuActor(GpuSpec spec)
    : spec_(std::move(spec)), kubelet_(address_of("node/" + spec_.node)) {}

void GpuActor::receive(Context& context, const Delivery& delivery) {
  if (const auto* busy = delivery.as<workload::GpuBusy>()) {
    meter_.begin(busy->uid(), context.now());
  } else if (const auto* idle = delivery.as<workload::GpuIdle>()) {
    meter_.end(idle->uid(), context.now());
  } else if (const auto* memory = delivery.as<workload::GpuMemory>()) {
    meter_.set_memory(memory->uid(), memory->used_mib());
  } else if (const auto* sample = delivery.as<telemetry::GpuSampleRequest>()) {
    answer(context, *sample, delivery.sender);
  } else if (const auto* holder = delivery.as<workload::AttachGpu>()) {
    attach(*holder);
  } else if (const auto* former = delivery.as<workload::DetachGpu>()) {
    detach(context, former->uid());
  } else if (const auto* fault = delivery.as<workload::FailGpu>()) {
    fail(context, fault->xid());
  } else if (delivery.as<workload::RepairGpu>() != nullptr) {
    repair(context);
  }
}

void GpuActor::attach(const workload::AttachGpu& attach) {
  telemetry::GpuHolder holder;
  holder.set_pod_uid(attach.uid());
  holder.set_namespace_(attach.namespace_());
  holder.set_pod(attach.name());
  holder.set_container(attach.container());
  holders_[attach.namespace_() + "/" + attach.name() + "/" + attach.container()] =
      std::move(holder);
}

void GpuActor::detach(Context& context, const std::string& uid) {
  meter_.forget(uid, context.now());
  std::erase_if(holders_, [&uid](const auto& entry) { return entry.second.pod_uid() == uid; });
}

void GpuActor::fail(Context& context, std::uint32_t xid) {
  const std::string reason = "XID " + std::to_string(xid);
  if (!is_application_xid(xid)) {
    if (!healthy_) return;
    healthy_ = false;
    auto fact = about<facts::GpuFaulted>(spec_);
    fact.set_reason(reason);
    context.emit(Payload::of(std::move(fact)));
  }
  tell_kubelet(context, true, reason);
}

void GpuActor::repair(Context& context) {
  if (healthy_) return;
  healthy_ = true;
  context.emit(Payload::of(about<facts::GpuRecovered>(spec_)));
  tell_kubelet(context, false, "repaired");
}

void GpuActor::tell_kubelet(Context& context, bool kills_pods, const std::string& reason) {
  workload::GpuHealthChanged changed;
  changed.set_gpu(spec_.index);
  changed.set_healthy(healthy_);
  changed.set_kills_pods(kills_pods);
  changed.set_reason(reason);
  context.send(kubelet_, Payload::of(std::move(changed)), {});
}

void GpuActor::answer(Context& context, const telemetry::GpuSampleRequest& request,
                      const Address& to) {
  telemetry::GpuSample sample;
  sample.set_request_id(request.request_id());
  sample.set_gpu(spec_.index);
  sample.set_uuid(uuid_of(context.path()));
  sample.set_model(spec_.model);
  sample.set_busy_ns(meter_.busy_time(context.now()).count());
  sample.set_memory_used_mib(meter_.memory_mib());
  sample.set_memory_total_mib(spec_.memory_mib);
  for (const auto& [name, holder] : holders_) *sample.add_holders() = holder;
  sample.set_healthy(healthy_);
  context.send(to, Payload::of(std::move(sample)), {.link = Link::Scrape});
}

}  // namespace troupe::kubelet
