// What an XID of NVIDIA's driver means for the GPU and for those who use it.
#pragma once

#include <cstdint>
#include <string_view>

#include "messages/workload.pb.h"

namespace troupe::kubelet {

struct XidEffect {
  std::uint32_t xid = 0;
  std::string_view name;  ///< as NVIDIA's list of XIDs has it
  /// The device plugin counts the GPU as healthy afterwards: it ignores what only an application
  /// causes, and NVML reports no critical event of what is recorded for later.
  bool healthy = false;
  bool kills = true;
  workload::GpuHealthChanged::Who who = workload::GpuHealthChanged::ALL;
  bool off_the_bus = false;  ///< nothing can be read from the GPU any more
};

/// An XID that the list does not have leaves the GPU unhealthy and kills whoever uses it.
[[nodiscard]] XidEffect effect_of(std::uint32_t xid);

}  // namespace troupe::kubelet
