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
#include <string>
#include <vector>

#include "messages/sim_time.h"
#include "messages/telemetry.pb.h"

namespace troupe::telemetry {

class GpuSampler {
 public:
  /// `node` becomes the label Hostname.
  explicit GpuSampler(std::string node) : node_(std::move(node)) {}

  /// Takes a GPU's counters as of `now` and appends its samples. The first reading of a GPU has no
  /// duty cycle yet, and an unhealthy GPU shows nothing at all.
  void collect(const GpuSample& gpu, SimTime now, std::vector<Sample>& samples);

 private:
  struct Reading {
    std::int64_t busy_ns = 0;
    SimTime time{};
  };

  std::string node_;
  std::map<std::uint32_t, Reading> last_;
};

}  // namespace troupe::telemetry
