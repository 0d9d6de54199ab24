// Which pod has which GPU: kubelet's device manager, with shares.
//
// A device plugin registers the node's GPUs some time after the node is Ready; until then the node
// has none. Whole GPUs go to one pod each, lowest index first. A share (KAI's gpu-fraction) is a
// part of one GPU in thousandths, packed onto the GPU of lowest index that already has shares and
// room. Limits: no topology hints, no MIG.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "actors/kubelet/rejection.h"

namespace troupe::kubelet {

inline constexpr std::uint32_t kWholeGpu = 1000;  ///< milli-GPU

/// What a pod asks for: whole GPUs, or a share of one.
struct DeviceDemand {
  std::uint32_t whole = 0;
  std::uint32_t share_milli = 0;  ///< 1 to 999; 0: no share

  [[nodiscard]] bool none() const { return whole == 0 && share_milli == 0; }
};

/// What it got.
struct DeviceGrant {
  std::vector<std::uint32_t> gpus;  ///< ascending
  std::uint32_t milli_each = kWholeGpu;
};

class DeviceManager {
 public:
  explicit DeviceManager(std::uint32_t gpus) : gpus_(gpus) {}

  /// A kubelet that restarts knows from its checkpoint that the resource is a device plugin's, and
  /// has no healthy device until the plugin registers again.
  void restore_checkpoint();
  void register_plugin();
  /// The plugin's socket is gone: its devices count no more; pods keep theirs.
  void lose_plugin();
  void set_healthy(std::uint32_t gpu, bool healthy);

  /// True once a plugin has registered, in this life or in one that left a checkpoint.
  [[nodiscard]] bool resource_known() const { return plugin_ != Plugin::Unknown; }
  [[nodiscard]] bool plugin_registered() const { return plugin_ == Plugin::Registered; }
  [[nodiscard]] bool healthy(std::uint32_t gpu) const { return gpus_[gpu].healthy; }
  /// What the node's status says of nvidia.com/gpu.
  [[nodiscard]] std::uint32_t capacity() const;
  [[nodiscard]] std::uint32_t allocatable() const;
  [[nodiscard]] std::uint32_t used_milli(std::uint32_t gpu) const { return gpus_[gpu].used_milli; }

  /// Gives devices to a pod; one that has some keeps them. A pod that is refused gets none.
  tl::expected<DeviceGrant, Rejection> assign(const std::string& uid, const DeviceDemand& demand);
  void release(const std::string& uid);
  /// The pod's devices, or null.
  [[nodiscard]] const DeviceGrant* of(const std::string& uid) const;
  /// The pods that have this GPU or a share of it, in order of uid.
  [[nodiscard]] std::vector<std::string> holders(std::uint32_t gpu) const;

 private:
  enum class Plugin { Unknown, Gone, Registered };
  struct Gpu {
    bool healthy = true;
    std::uint32_t used_milli = 0;
  };

  [[nodiscard]] std::vector<std::uint32_t> free_gpus() const;
  tl::expected<DeviceGrant, Rejection> assign_whole(const std::string& uid, std::uint32_t count);
  tl::expected<DeviceGrant, Rejection> assign_share(const std::string& uid, std::uint32_t milli);
  DeviceGrant record(const std::string& uid, DeviceGrant grant);

  Plugin plugin_ = Plugin::Unknown;
  std::vector<Gpu> gpus_;
  std::map<std::string, DeviceGrant> grants_;
};

}  // namespace troupe::kubelet
