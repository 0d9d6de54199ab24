// What NVIDIA's dcgm-exporter shows of a node's GPUs, from two readings of their cumulative
// counters.
//
// DCGM_FI_DEV_GPU_UTIL is a duty cycle: the share of the time since the last collection in which at
// least one kernel ran. It says nothing of how many requests share the GPU, nor of their queue: one
// decode stream reads as 100. NVML's own figure covers the last sixth of a second to one second;
// here it covers the whole collection period, so it is smoother than a real one.
// DCGM_FI_DEV_FB_USED counts memory that engines reserve at start, whether or not it holds
// anything.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages/sim_time.h"
#include "messages/telemetry.pb.h"

namespace troupe::telemetry {

/// One reading of a GPU that answered and is healthy.
struct GpuReading {
  std::shared_ptr<const GpuSample> gpu;
  std::optional<std::int64_t> duty_percent;  ///< absent in the first reading, and after a reset
};

/// Sets each reading of a node's GPUs against the one before.
class GpuSampler {
 public:
  /// Takes a GPU's counters as of `now`. An unhealthy GPU has no reading.
  [[nodiscard]] std::optional<GpuReading> read(std::shared_ptr<const GpuSample> gpu, SimTime now);

 private:
  struct Counters {
    std::int64_t busy_ns = 0;
    SimTime time{};
  };

  std::map<std::uint32_t, Counters> last_;
};

/// Appends what an exporter shows of a reading; `node` becomes the label Hostname.
void append_samples(const GpuReading& reading, const std::string& node,
                    std::vector<Sample>& samples);

}  // namespace troupe::telemetry
