#include "actors/autoscalers/hpa/usage_ratio.h"

#include "messages/assert.h"

namespace troupe::hpa {
namespace {

Result<std::int64_t> pod_request(const PodState& pod, const std::string& resource,
                                 const std::string& container) {
  if (container.empty() && pod.pod_requests) {
    const auto request = pod.pod_requests->find(resource);
    if (request == pod.pod_requests->end()) {
      return fail("missing pod-level request for " + resource + " in Pod " + pod.name);
    }
    return request->second;
  }
  std::int64_t sum = 0;
  for (const ContainerRequests& entry : pod.containers) {
    if (!container.empty() && container != entry.name) continue;
    const auto request = entry.milli.find(resource);
    if (request == entry.milli.end()) {
      return fail("missing request for " + resource + " in container " + entry.name + " of Pod " +
                  pod.name);
    }
    sum += request->second;
    if (container == entry.name) return sum;
  }
  if (!container.empty()) return fail("container " + container + " not found in Pod " + pod.name);
  return sum;
}

}  // namespace

UsageRatio mean_ratio(const PodMetrics& metrics, std::int64_t target_milli) {
  TROUPE_ASSERT(!metrics.empty(), "a mean needs a sample");
  std::int64_t total = 0;
  for (const auto& [pod, point] : metrics) total += point.milli;
  const std::int64_t mean = total / static_cast<std::int64_t>(metrics.size());
  return {static_cast<double>(mean) / static_cast<double>(target_milli), mean, 0};
}

Result<UsageRatio> utilization_ratio(const PodMetrics& metrics, const PodRequests& requests,
                                     std::int32_t target_percent) {
  std::int64_t used = 0;
  std::int64_t requested = 0;
  std::int64_t pods = 0;
  for (const auto& [pod, point] : metrics) {
    const auto request = requests.find(pod);
    if (request == requests.end()) continue;
    used += point.milli;
    requested += request->second;
    ++pods;
  }
  if (requested == 0) return fail("no metrics returned matched known pods");
  const auto percent = static_cast<std::int32_t>(used * 100 / requested);
  return UsageRatio{static_cast<double>(percent) / static_cast<double>(target_percent), used / pods,
                    percent};
}

Result<PodRequests> requests_of(const std::vector<PodState>& pods, const std::string& resource,
                                const std::string& container) {
  PodRequests requests;
  for (const PodState& pod : pods) {
    const Result<std::int64_t> request = pod_request(pod, resource, container);
    if (!request) return tl::unexpected(request.error());
    requests[pod.name] = *request;
  }
  return requests;
}

}  // namespace troupe::hpa
