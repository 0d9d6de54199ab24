#include "actors/serving/load_plan.h"

#include <algorithm>
#include <array>

#include "actors/distribution.h"
#include "messages/int128.h"

namespace troupe::serving {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
/// A local NVMe disk reads weights at 1 to 2 GB/s (vLLM users' logs); taken where the node says
/// nothing.
constexpr std::int64_t kDiskBytesPerSecond = 1'500'000'000;
/// The model to which the seconds below belong.
constexpr std::int64_t kReferenceLayers = 32;
/// Draws of one life of a container.
constexpr std::uint64_t kDrawsPerLife = 64;

struct DefaultStage {
  const char* name;
  std::int64_t median_s;
  std::int64_t p90_s;
  bool by_layer;  ///< grows with the model's layers
};

/// A cold start of vLLM V1 as its users logged it: 5 to 35 s to profile memory and allocate the
/// cache, 30 to 70 s of torch.compile, 10 to 20 s to capture 67 CUDA graphs; 15 + 70 and 60 s for
/// 70B on eight GPUs (vllm-project/vllm issues 19824 and 20264).
constexpr std::array<DefaultStage, 3> kDefaultStages = {{{"engine init", 12, 30, false},
                                                         {"torch.compile", 45, 65, true},
                                                         {"CUDA graph capture", 15, 20, true}}};

std::vector<LoadStage> default_stages(const ModelSpec& model) {
  std::vector<LoadStage> stages;
  for (const DefaultStage& one : kDefaultStages) {
    const std::int64_t scale =
        one.by_layer ? std::max<std::int64_t>(1, model.layers()) : kReferenceLayers;
    LoadStage stage;
    stage.set_name(one.name);
    stage.mutable_duration()->set_shape(Distribution::LOGNORMAL);
    stage.mutable_duration()->set_a_ns(one.median_s * kSecond * scale / kReferenceLayers);
    stage.mutable_duration()->set_b_ns(one.p90_s * kSecond * scale / kReferenceLayers);
    stages.push_back(std::move(stage));
  }
  return stages;
}

Duration weights_time(const ServingWorkload& workload, const ReplicaPlacement& placement) {
  const std::int64_t members = std::max<std::int64_t>(1, placement.group_size());
  const std::int64_t bytes = workload.model().weight_bytes() / members;
  std::int64_t bandwidth = workload.load().weights_bytes_per_second();
  if (bandwidth == 0) bandwidth = placement.disk_bytes_per_second();
  if (bandwidth == 0) bandwidth = kDiskBytesPerSecond;
  return Duration{static_cast<std::int64_t>(static_cast<Int128>(bytes) * kSecond / bandwidth)};
}

}  // namespace

std::vector<LoadStep> plan_load(const ServingWorkload& workload, const ReplicaPlacement& placement,
                                const RandomBits& bits) {
  std::vector<LoadStep> steps = {{"weights", weights_time(workload, placement)}};
  std::vector<LoadStage> stages(workload.load().stages().begin(), workload.load().stages().end());
  if (stages.empty()) stages = default_stages(workload.model());
  std::uint64_t index = placement.container_restarts() * kDrawsPerLife;
  for (const LoadStage& stage : stages) {
    steps.push_back({stage.name(), sample(stage.duration(), bits("load", index++))});
  }
  return steps;
}

}  // namespace troupe::serving
