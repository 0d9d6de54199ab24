#include "actors/telemetry/gpu_samples.h"

#include <algorithm>

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
double duty_cycle(std::int64_t busy_ns, Duration window) {
  const std::int64_t busy = std::clamp<std::int64_t>(busy_ns, 0, window.count());
  const std::int64_t percent = (busy * 100 + window.count() / 2) / window.count();
  return static_cast<double>(percent);
}

}  // namespace

void GpuSampler::collect(const GpuSample& gpu, SimTime now, std::vector<Sample>& samples) {
  if (!gpu.healthy()) {
    last_.erase(gpu.gpu());
    return;
  }
  const auto [last, first_reading] = last_.try_emplace(gpu.gpu(), Reading{gpu.busy_ns(), now});
  // A GPU that was reset counts from zero again.
  const bool usable =
      !first_reading && now > last->second.time && gpu.busy_ns() >= last->second.busy_ns;
  if (usable) {
    const double util = duty_cycle(gpu.busy_ns() - last->second.busy_ns, now - last->second.time);
    append_for_holders(sample_of("DCGM_FI_DEV_GPU_UTIL", util, gpu, node_), gpu, samples);
  }
  last->second = {gpu.busy_ns(), now};
  append_for_holders(
      sample_of("DCGM_FI_DEV_FB_USED", static_cast<double>(gpu.memory_used_mib()), gpu, node_), gpu,
      samples);
  const std::int64_t free_mib = gpu.memory_total_mib() - gpu.memory_used_mib();
  append_for_holders(
      sample_of("DCGM_FI_DEV_FB_FREE", static_cast<double>(std::max<std::int64_t>(free_mib, 0)),
                gpu, node_),
      gpu, samples);
}

}  // namespace troupe::telemetry
