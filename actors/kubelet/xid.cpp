#include "actors/kubelet/xid.h"

#include <algorithm>
#include <array>

namespace troupe::kubelet {
namespace {

using Changed = workload::GpuHealthChanged;

constexpr bool kHealthy = true;
constexpr bool kUnhealthy = false;
constexpr bool kKills = true;
constexpr bool kKillsNobody = false;

// Health: k8s-device-plugin internal/rm/health.go ignores 13, 31, 43, 45, 68 and 109, which an
// application causes; every other critical XID makes a device unhealthy, for good, since the plugin
// looks for no recovery. Who dies, and whether the GPU must be reset: NVIDIA, "XID Errors" and "GPU
// Memory Error Management" (dynamic page offlining and row remapping of A100 and later).
constexpr std::array kEffects = {
    XidEffect{13, "Graphics Engine Exception", kHealthy, kKills, Changed::ONE},
    XidEffect{31, "GPU memory page fault", kHealthy, kKills, Changed::ONE},
    XidEffect{43, "GPU stopped processing", kHealthy, kKills, Changed::ONE},
    XidEffect{45, "Preemptive cleanup, due to previous errors", kHealthy, kKills, Changed::ONE},
    // All contexts are lost; the GPU needs a reset before it gives right results.
    XidEffect{48, "Double Bit ECC Error", kUnhealthy, kKills, Changed::ALL},
    // Recorded; in force after the next reset. Nothing stops for it.
    XidEffect{63, "Row remapping recording event", kHealthy, kKillsNobody, Changed::ALL},
    // No row was left to remap to: whoever runs goes on until the memory is touched, but the GPU is
    // to be replaced.
    XidEffect{64, "Row remapping failure", kUnhealthy, kKillsNobody, Changed::ALL},
    XidEffect{68, "NVDEC0 Exception", kHealthy, kKills, Changed::ONE},
    // A collective over the link fails and its processes with it; one who needs no peer goes on.
    XidEffect{74, "NVLink Error", kUnhealthy, kKills, Changed::LINKED},
    XidEffect{79, "GPU has fallen off the bus", kUnhealthy, kKills, Changed::ALL, true},
    // Contained: the process that touched the memory dies, the others go on; the plugin takes the
    // GPU out of service all the same.
    XidEffect{94, "Contained ECC error", kUnhealthy, kKills, Changed::ONE},
    XidEffect{95, "Uncontained ECC error", kUnhealthy, kKills, Changed::ALL},
    XidEffect{109, "Context Switch Timeout Error", kHealthy, kKills, Changed::ONE}};

}  // namespace

XidEffect effect_of(std::uint32_t xid) {
  const auto found = std::find_if(kEffects.begin(), kEffects.end(),
                                  [xid](const XidEffect& effect) { return effect.xid == xid; });
  return found == kEffects.end() ? XidEffect{xid, "unknown"} : *found;
}

}  // namespace troupe::kubelet
