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
#include "actors/kubelet/xid.h"
#include "messages/telemetry.pb.h"
#include "messages/workload.pb.h"

namespace troupe::kubelet {

struct GpuSpec {
  std::string node;  ///< name
  std::uint32_t index = 0;
  std::string model;
  std::int64_t memory_mib = 0;
};

/// Rows that A100 and later can remap: NVIDIA, "GPU Memory Error Management", row remapping.
inline constexpr std::uint32_t kSpareRows = 512;

class GpuActor final : public Actor {
 public:
  explicit GpuActor(GpuSpec spec);

  void receive(Context& context, const Delivery& delivery) override;

 private:
  void attach(const workload::AttachGpu& attach);
  void detach(Context& context, const std::string& uid);
  void fail(Context& context, std::uint32_t xid);
  void repair(Context& context);
  void degrade(Context& context, std::uint32_t rows);
  void throttle(Context& context, std::uint32_t clock_permille);
  void tell_kubelet(Context& context, const XidEffect& effect, const std::string& reason);
  void answer(Context& context, const telemetry::GpuSampleRequest& request, const Address& to);

  GpuSpec spec_;
  Address kubelet_;
  bool healthy_ = true;
  bool off_the_bus_ = false;
  std::uint32_t last_xid_ = 0;
  std::uint32_t remapped_rows_ = 0;
  std::uint32_t clock_permille_ = 0;  ///< 0: unthrottled
  GpuMeter meter_;
  std::map<std::string, telemetry::GpuHolder> holders_;  ///< by "namespace/pod/container"
};

}  // namespace troupe::kubelet
