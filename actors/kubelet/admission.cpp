#include "actors/kubelet/admission.h"

#include <array>
#include <string_view>

#include "actors/scheduling/pod_info.h"

namespace troupe::kubelet {
namespace {

using scheduling::Resources;

/// KAI's annotation, in its present and its older spelling.
constexpr std::array<std::string_view, 2> kFractionAnnotations = {"gpu-fraction",
                                                                  "kai.scheduler/gpu-fraction"};
constexpr std::size_t kFractionDigits = 3;

// kubelet lifecycle/predicate.go: InsufficientResourceError.
Rejection out_of(const std::string& resource, std::int64_t wanted, std::int64_t used,
                 std::int64_t capacity) {
  return {"OutOf" + resource, "Node didn't have enough resource: " + resource + ", requested: " +
                                  std::to_string(wanted) + ", used: " + std::to_string(used) +
                                  ", capacity: " + std::to_string(capacity)};
}

std::int64_t displayed(std::string_view name, std::int64_t amount) {
  return name == scheduling::kGpuResource ? amount / kWholeGpu : amount;
}

}  // namespace

std::uint32_t milli_of_fraction(const std::string& text) {
  const std::string_view digits = std::string_view(text).starts_with("0.")
                                      ? std::string_view(text).substr(2)
                                  : text.starts_with('.') ? std::string_view(text).substr(1)
                                                          : std::string_view{};
  std::uint32_t milli = 0;
  for (std::size_t i = 0; i < kFractionDigits; ++i) {
    const char digit = i < digits.size() ? digits[i] : '0';
    if (digit < '0' || digit > '9') return 0;
    milli = milli * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  return milli;
}

PodDemand demand_of(const k8s::Pod& pod) {
  PodDemand demand{scheduling::requests_of(pod.spec()), {}};
  demand.devices.whole = static_cast<std::uint32_t>(demand.resources.milli_gpu / kWholeGpu);
  if (demand.devices.whole > 0) return demand;
  for (const auto& annotation : pod.metadata().annotations()) {
    for (const std::string_view name : kFractionAnnotations) {
      if (annotation.key() == name)
        demand.devices.share_milli = milli_of_fraction(annotation.value());
    }
  }
  return demand;
}

tl::expected<DeviceGrant, Rejection> Admission::admit(const std::string& uid,
                                                      const PodDemand& demand) {
  DeviceGrant grant;
  // A resource that no device plugin ever claimed is left to the predicates, as in kubelet.
  if (devices_.resource_known() || demand.devices.share_milli > 0) {
    auto assigned = devices_.assign(uid, demand.devices);
    if (!assigned) return assigned;
    grant = *std::move(assigned);
  }
  if (auto rejection = misfit(demand.resources)) {
    devices_.release(uid);
    return tl::unexpected(*std::move(rejection));
  }
  admitted_[uid] = demand.resources;
  used_ += demand.resources;
  return grant;
}

std::optional<Rejection> Admission::misfit(const Resources& wanted) const {
  Resources capacity = allocatable_;
  capacity.milli_gpu = std::int64_t{devices_.allocatable()} * kWholeGpu;
  static constexpr std::array<std::string_view, 5> kOrder = {
      "pods", "cpu", "memory", "ephemeral-storage", scheduling::kGpuResource};
  const auto check = [&](std::string_view name) -> std::optional<Rejection> {
    const std::int64_t asked = wanted.amount_of(name);
    if (asked <= 0 || used_.amount_of(name) + asked <= capacity.amount_of(name))
      return std::nullopt;
    return out_of(std::string(name), displayed(name, asked), displayed(name, used_.amount_of(name)),
                  displayed(name, capacity.amount_of(name)));
  };
  for (const std::string_view name : kOrder) {
    // A node that does not measure its ephemeral storage does not limit it.
    if (name == "ephemeral-storage" && capacity.ephemeral_bytes == 0) continue;
    if (auto rejection = check(name)) return rejection;
  }
  return std::nullopt;
}

void Admission::release(const std::string& uid) {
  devices_.release(uid);
  const auto found = admitted_.find(uid);
  if (found == admitted_.end()) return;
  used_ -= found->second;
  admitted_.erase(found);
}

}  // namespace troupe::kubelet
