// What the pods of one node share: its devices, images, room, and the making of workloads.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actors/api_client/event_recorder.h"
#include "actors/kubelet/admission.h"
#include "actors/kubelet/image_store.h"
#include "actors/kubelet/pod_usage.h"
#include "actors/kubelet/workload_catalog.h"
#include "actors/random.h"

namespace troupe::kubelet {

class NodeRuntime {
 public:
  static constexpr std::uint32_t kFullPace = 1000;

  /// `factory` may be null where no pod serves; it must outlive the node.
  NodeRuntime(std::shared_ptr<const hosts::NodeConfig> config, std::vector<Payload> attachments,
              const WorkloadFactory* factory);

  [[nodiscard]] const hosts::NodeConfig& config() const { return *config_; }
  /// "node/NAME".
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string gpu_path(std::uint32_t gpu) const;
  [[nodiscard]] std::string pod_path(const std::string& uid) const;
  [[nodiscard]] DeviceManager& devices() { return devices_; }
  [[nodiscard]] ImageStore& images() { return images_; }

  /// Room and devices for a pod; its GPUs learn who has them.
  tl::expected<DeviceGrant, Rejection> admit(Context& context, const k8s::Pod& pod);
  /// Gives them back.
  void release(Context& context, const k8s::Pod& pod);
  /// False if one of the pod's GPUs has failed.
  [[nodiscard]] bool devices_healthy(const std::string& uid) const;
  /// The process on the pod's GPUs is gone, with its memory.
  void clear_devices(Context& context, const std::string& uid);

  /// Pulls of the images that fit the glob fail from now on, or do so no more.
  void fail_pulls(const std::string& glob, bool fail);
  [[nodiscard]] bool pull_fails(const std::string& image) const;

  /// The pace of a GPU, in thousandths of its usual one.
  void set_pace(std::uint32_t gpu, std::uint32_t permille) { paces_[gpu] = permille; }
  /// Of the slowest GPU that the pod has.
  [[nodiscard]] std::uint32_t pace_of(const std::string& uid) const;

  /// True if the image is there. Otherwise it is on its way, and a NodeTimer IMAGE_PULLED will
  /// tell.
  bool want_image(Context& context, const std::string& image);
  /// The images that have arrived.
  std::vector<std::string> take_pulled(Context& context);

  /// How long the runtime takes to start one container.
  [[nodiscard]] Duration container_start(Context& context);
  /// The actor of the pod's workload; null if it cannot run.
  [[nodiscard]] std::unique_ptr<Actor> make_workload(const k8s::Pod& pod, std::uint32_t restarts,
                                                     bool loaded) const;
  [[nodiscard]] bool serves(const k8s::Pod& pod) const;
  [[nodiscard]] UsageRate usage_of(const k8s::Pod& pod, const k8s::Container& container,
                                   bool workload) const;

 private:
  void arm_images(Context& context);

  std::shared_ptr<const hosts::NodeConfig> config_;
  std::string path_;
  DeviceManager devices_;
  ImageStore images_;
  Admission admission_;
  WorkloadCatalog workloads_;
  const WorkloadFactory* factory_;
  RandomStream start_times_{"container start"};
  TimerId images_timer_ = 0;
  std::set<std::string> failing_pulls_;           ///< globs
  std::map<std::uint32_t, std::uint32_t> paces_;  ///< by GPU; none: full
};

}  // namespace troupe::kubelet
