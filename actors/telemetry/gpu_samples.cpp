#include "actors/telemetry/gpu_samples.h"

#include <algorithm>
#include <utility>

namespace troupe::telemetry {
namespace {

void add_label(Sample& sample, const std::string& key, const std::string& value) {
  Label* label = sample.add_labels();
  label->set_key(key);
  label->set_value(value);
}

Sample sample_of(const std::string& name, double value, const GpuSample& gpu,
                 const std::string& node) {
  Sample sample;
  sample.set_name(name);
  sample.set_value(value);
  const std::string index = std::to_string(gpu.gpu());
  add_label(sample, "Hostname", node);
  add_label(sample, "UUID", gpu.uuid());
  add_label(sample, "device", "nvidia" + index);
  add_label(sample, "gpu", index);
  if (!gpu.model().empty()) add_label(sample, "modelName", gpu.model());
  return sample;
}

// One series for each pod that holds the GPU; a free GPU has one without a pod.
void append_for_holders(const Sample& sample, const GpuSample& gpu, std::vector<Sample>& samples) {
  if (gpu.holders().empty()) {
    samples.push_back(sample);
    return;
  }
  for (const GpuHolder& holder : gpu.holders()) {
    Sample labelled = sample;
    add_label(labelled, "container", holder.container());
    add_label(labelled, "namespace", holder.namespace_());
    add_label(labelled, "pod", holder.pod());
    samples.push_back(std::move(labelled));
  }
}

// Busy time as a whole percentage of the window, as NVML reports it.
std::int64_t duty_cycle(std::int64_t busy_ns, Duration window) {
  const std::int64_t busy = std::clamp<std::int64_t>(busy_ns, 0, window.count());
  return (busy * 100 + window.count() / 2) / window.count();
}

}  // namespace

std::optional<GpuReading> GpuSampler::read(std::shared_ptr<const GpuSample> gpu, SimTime now) {
  if (!gpu->healthy()) {
    last_.erase(gpu->gpu());
    return std::nullopt;
  }
  const std::int64_t busy_ns = gpu->busy_ns();
  const auto [last, is_first] = last_.try_emplace(gpu->gpu(), Counters{busy_ns, now});
  GpuReading reading{std::move(gpu), std::nullopt};
  // A GPU that was reset counts from zero again.
  if (!is_first && now > last->second.time && busy_ns >= last->second.busy_ns) {
    reading.duty_percent = duty_cycle(busy_ns - last->second.busy_ns, now - last->second.time);
  }
  last->second = {busy_ns, now};
  return reading;
}

void append_samples(const GpuReading& reading, const std::string& node,
                    std::vector<Sample>& samples) {
  const GpuSample& gpu = *reading.gpu;
  const auto append = [&](const std::string& name, std::int64_t value) {
    append_for_holders(sample_of(name, static_cast<double>(value), gpu, node), gpu, samples);
  };
  if (reading.duty_percent) append("DCGM_FI_DEV_GPU_UTIL", *reading.duty_percent);
  append("DCGM_FI_DEV_FB_USED", gpu.memory_used_mib());
  append("DCGM_FI_DEV_FB_FREE",
         std::max<std::int64_t>(gpu.memory_total_mib() - gpu.memory_used_mib(), 0));
  // Of a GPU that nothing befell these say nothing, and are left out.
  constexpr std::int64_t kHwThermalSlowdown =
      0x40;  // nvml.h: nvmlClocksEventReasonHwThermalSlowdown
  if (gpu.xid() != 0) append("DCGM_FI_DEV_XID_ERRORS", gpu.xid());
  if (gpu.remapped_rows() != 0) {
    append("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", gpu.remapped_rows());
  }
  if (gpu.clock_permille() != 0) {
    append("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", kHwThermalSlowdown);
  }
}

}  // namespace troupe::telemetry
