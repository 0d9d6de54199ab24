#include "actors/kubelet/gpu.h"

#include <algorithm>
#include <array>
#include <utility>

#include "messages/facts.pb.h"
#include "messages/fault.pb.h"
#include "messages/hash.h"

namespace troupe::kubelet {
namespace {

constexpr std::uint32_t kRemapRecorded = 63;
constexpr std::uint32_t kRemapFailed = 64;
constexpr std::uint32_t kNvlinkError = 74;
/// Of a GPU at its usual clock.
constexpr std::uint32_t kFullPace = 1000;

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
  } else if (const auto* worn = delivery.as<fault::DegradeEcc>()) {
    degrade(context, worn->rows());
  } else if (const auto* hot = delivery.as<fault::ThrottleGpu>()) {
    throttle(context, hot->heal() ? 0 : hot->clock_permille());
  } else if (const auto* link = delivery.as<fault::BreakNvlink>()) {
    if (link->heal()) {
      repair(context);
    } else {
      fail(context, kNvlinkError);
    }
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
  const XidEffect effect = effect_of(xid);
  if (!effect.healthy && !healthy_) return;
  last_xid_ = xid;
  auto report = about<facts::XidReported>(spec_);
  report.set_xid(xid);
  context.emit(Payload::of(std::move(report)));
  const std::string reason = "XID " + std::to_string(xid);
  if (!effect.healthy) {
    healthy_ = false;
    off_the_bus_ = effect.off_the_bus;
    auto fact = about<facts::GpuFaulted>(spec_);
    fact.set_reason(reason);
    context.emit(Payload::of(std::move(fact)));
  }
  if (!effect.healthy || effect.kills) tell_kubelet(context, effect, reason);
}

void GpuActor::repair(Context& context) {
  if (healthy_) return;
  healthy_ = true;
  off_the_bus_ = false;
  last_xid_ = 0;
  remapped_rows_ = 0;
  context.emit(Payload::of(about<facts::GpuRecovered>(spec_)));
  tell_kubelet(context, {0, "", true, false}, "repaired");
}

// Each row that is remapped is recorded; without a spare one the memory cannot be mended.
void GpuActor::degrade(Context& context, std::uint32_t rows) {
  const bool spare = remapped_rows_ + rows <= kSpareRows;
  remapped_rows_ = spare ? remapped_rows_ + rows : kSpareRows;
  fail(context, spare ? kRemapRecorded : kRemapFailed);
}

void GpuActor::throttle(Context& context, std::uint32_t clock_permille) {
  clock_permille_ = clock_permille;
  workload::GpuPaceChanged changed;
  changed.set_gpu(spec_.index);
  changed.set_permille(clock_permille == 0 ? kFullPace : clock_permille);
  context.send(kubelet_, Payload::of(changed), {});
}

void GpuActor::tell_kubelet(Context& context, const XidEffect& effect, const std::string& reason) {
  workload::GpuHealthChanged changed;
  changed.set_gpu(spec_.index);
  changed.set_healthy(healthy_);
  changed.set_kills_pods(effect.kills);
  changed.set_reason(reason);
  changed.set_who(effect.who);
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
  sample.set_healthy(!off_the_bus_);
  sample.set_xid(last_xid_);
  sample.set_remapped_rows(remapped_rows_);
  sample.set_clock_permille(clock_permille_);
  context.send(to, Payload::of(std::move(sample)), {.link = Link::Scrape});
}

}  // namespace troupe::kubelet
