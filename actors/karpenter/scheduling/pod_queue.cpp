#include "actors/karpenter/scheduling/pod_queue.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace troupe::karpenter {
namespace {

/// metav1.Time is kept to the second, so pods of one burst are ordered by their uids.
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

auto packing_key(const SimulatedPod& pod) {
  return std::tuple(-pod.requests().get(kCpu), -pod.requests().get(kMemory),
                    pod.pod().metadata().creation_timestamp() / kNsPerSecond,
                    std::string_view(pod.uid()));
}

}  // namespace

PodQueue::PodQueue(const std::vector<SimulatedPod>& pods) {
  for (std::size_t i = 0; i < pods.size(); ++i) queue_.push_back(i);
  std::ranges::stable_sort(queue_, [&pods](std::size_t a, std::size_t b) {
    return packing_key(pods[a]) < packing_key(pods[b]);
  });
}

std::optional<std::size_t> PodQueue::pop() {
  if (queue_.empty()) return std::nullopt;
  const std::size_t pod = queue_.front();
  const auto seen = length_at_push_.find(pod);
  if (seen != length_at_push_.end() && seen->second == queue_.size()) return std::nullopt;
  queue_.pop_front();
  return pod;
}

void PodQueue::push(std::size_t pod) {
  queue_.push_back(pod);
  length_at_push_[pod] = queue_.size();
}

}  // namespace troupe::karpenter
