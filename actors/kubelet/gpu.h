// A GPU: `node/NAME/gpu/INDEX`.
//
// Workloads of its node tell it when they work and what memory they hold; the DCGM exporter asks
// it; faults break it. It does nothing by itself, so thousands of them cost nothing while nobody
// speaks to them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "actors/actor.h"
#include "actors/context.h"
#include "actors/kubelet/gpu_meter.h"
#include "messages/telemetry.pb.h"
#include "messages/workload.pb.h"

namespace troupe::kubelet {

/// True for an XID that an application causes: the NVIDIA device plugin leaves such a GPU healthy
/// (k8s-device-plugin, internal/rm/health.go: 13, 31, 43, 45, 68, 109).
[[nodiscard]] bool is_application_xid(std::uint32_t xid);

struct GpuSpec {
  std::string node;  ///< name
  std::uint32_t index = 0;
  std::string model;
  std::int64_t memory_mib = 0;
};

class GpuActor final : public Actor {
 public:
  explicit GpuActor(GpuSpec spec);

  void receive(Context& context, const Delivery& delivery) override;

 private:
  void attach(const workload::AttachGpu& attach);
  void detach(Context& context, const std::string& uid);
  void fail(Context& context, std::uint32_t xid);
  void repair(Context& context);
  void tell_kubelet(Context& context, bool kills_pods, const std::string& reason);
  void answer(Context& context, const telemetry::GpuSampleRequest& request, const Address& to);

  GpuSpec spec_;
  Address kubelet_;
  bool healthy_ = true;
  GpuMeter meter_;
  std::map<std::string, telemetry::GpuHolder> holders_;  ///< by "namespace/pod/container"
};

}  // namespace troupe::kubelet
