#include "actors/kubelet/device_manager.h"

#include <algorithm>
#include <utility>

#include "messages/assert.h"

namespace troupe::kubelet {
namespace {

constexpr const char* kUnexpected = "UnexpectedAdmissionError";

// The texts are those of kubelet's cm/devicemanager/manager.go.
Rejection no_healthy_device() {
  return {kUnexpected,
          "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices "
          "nvidia.com/gpu, which is unexpected"};
}

Rejection too_few(std::uint32_t requested, std::size_t available) {
  return {kUnexpected,
          "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. "
          "Requested: " +
              std::to_string(requested) + ", Available: " + std::to_string(available) +
              ", which is unexpected"};
}

}  // namespace

void DeviceManager::restore_checkpoint() {
  TROUPE_ASSERT(grants_.empty(), "a checkpoint is restored before any pod is admitted");
  if (plugin_ == Plugin::Unknown) plugin_ = Plugin::Gone;
}

void DeviceManager::register_plugin() {
  plugin_ = Plugin::Registered;
}

void DeviceManager::lose_plugin() {
  if (plugin_ == Plugin::Registered) plugin_ = Plugin::Gone;
}

void DeviceManager::set_healthy(std::uint32_t gpu, bool healthy) {
  TROUPE_ASSERT(gpu < gpus_.size(), "the node has no such GPU");
  gpus_[gpu].healthy = healthy;
}

std::uint32_t DeviceManager::capacity() const {
  return plugin_ == Plugin::Registered ? static_cast<std::uint32_t>(gpus_.size()) : 0;
}

std::uint32_t DeviceManager::allocatable() const {
  if (plugin_ != Plugin::Registered) return 0;
  return static_cast<std::uint32_t>(
      std::count_if(gpus_.begin(), gpus_.end(), [](const Gpu& gpu) { return gpu.healthy; }));
}

std::vector<std::uint32_t> DeviceManager::free_gpus() const {
  std::vector<std::uint32_t> free;
  for (std::uint32_t i = 0; i < gpus_.size(); ++i) {
    if (gpus_[i].healthy && gpus_[i].used_milli == 0) free.push_back(i);
  }
  return free;
}

tl::expected<DeviceGrant, Rejection> DeviceManager::assign(const std::string& uid,
                                                           const DeviceDemand& demand) {
  TROUPE_ASSERT(demand.whole == 0 || demand.share_milli == 0, "whole GPUs or a share, not both");
  TROUPE_ASSERT(demand.share_milli < kWholeGpu, "a share is less than a GPU");
  if (const DeviceGrant* granted = of(uid)) return *granted;
  if (demand.none()) return DeviceGrant{};
  if (allocatable() == 0) return tl::unexpected(no_healthy_device());
  return demand.whole > 0 ? assign_whole(uid, demand.whole) : assign_share(uid, demand.share_milli);
}

tl::expected<DeviceGrant, Rejection> DeviceManager::assign_whole(const std::string& uid,
                                                                 std::uint32_t count) {
  std::vector<std::uint32_t> free = free_gpus();
  if (free.size() < count) return tl::unexpected(too_few(count, free.size()));
  free.resize(count);
  return record(uid, {std::move(free), kWholeGpu});
}

tl::expected<DeviceGrant, Rejection> DeviceManager::assign_share(const std::string& uid,
                                                                 std::uint32_t milli) {
  std::uint32_t chosen = 0;
  bool found = false;
  for (std::uint32_t i = 0; i < gpus_.size() && !(found && gpus_[chosen].used_milli > 0); ++i) {
    const Gpu& gpu = gpus_[i];
    if (!gpu.healthy || gpu.used_milli + milli > kWholeGpu) continue;
    if (!found || gpu.used_milli > 0) chosen = i;
    found = true;
  }
  if (!found) return tl::unexpected(too_few(1, 0));
  return record(uid, {{chosen}, milli});
}

DeviceGrant DeviceManager::record(const std::string& uid, DeviceGrant grant) {
  for (const std::uint32_t gpu : grant.gpus) {
    gpus_[gpu].used_milli += grant.milli_each;
    TROUPE_ASSERT(gpus_[gpu].used_milli <= kWholeGpu, "a GPU's shares sum to at most one GPU");
  }
  return grants_[uid] = std::move(grant);
}

void DeviceManager::release(const std::string& uid) {
  const auto found = grants_.find(uid);
  if (found == grants_.end()) return;
  for (const std::uint32_t gpu : found->second.gpus) {
    TROUPE_ASSERT(gpus_[gpu].used_milli >= found->second.milli_each,
                  "released more than was given");
    gpus_[gpu].used_milli -= found->second.milli_each;
  }
  grants_.erase(found);
}

const DeviceGrant* DeviceManager::of(const std::string& uid) const {
  const auto found = grants_.find(uid);
  return found == grants_.end() ? nullptr : &found->second;
}

std::vector<std::string> DeviceManager::holders(std::uint32_t gpu) const {
  std::vector<std::string> uids;
  for (const auto& [uid, grant] : grants_) {
    if (std::binary_search(grant.gpus.begin(), grant.gpus.end(), gpu)) uids.push_back(uid);
  }
  return uids;
}

}  // namespace troupe::kubelet
