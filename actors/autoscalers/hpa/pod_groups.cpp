#include "actors/autoscalers/hpa/pod_groups.h"

namespace troupe::hpa {
namespace {

// Whether a CPU sample says nothing yet: within the initialisation period a pod must be ready and
// its sample must lie a whole window after it became so; later only a pod that has never been ready
// is left out.
bool warming_up(const PodState& pod, const MetricPoint& point, const CpuWarmUp& rule) {
  if (pod.ready == Readiness::Absent || !pod.start_time) return true;
  if (*pod.start_time + rule.initialization > rule.now) {
    return pod.ready == Readiness::False || point.timestamp < pod.ready_transition + point.window;
  }
  return pod.ready == Readiness::False &&
         *pod.start_time + rule.readiness_delay > pod.ready_transition;
}

}  // namespace

PodGroups group_pods(const std::vector<PodState>& pods, const PodMetrics& metrics,
                     const CpuWarmUp& warm_up) {
  PodGroups groups;
  for (const PodState& pod : pods) {
    if (pod.deleting || pod.phase == PodPhase::Failed) {
      groups.ignored.insert(pod.name);
      continue;
    }
    if (pod.phase == PodPhase::Pending) {
      groups.unready.insert(pod.name);
      continue;
    }
    const auto sample = metrics.find(pod.name);
    if (sample == metrics.end()) {
      groups.missing.insert(pod.name);
      continue;
    }
    if (warm_up.applies && warming_up(pod, sample->second, warm_up)) {
      groups.unready.insert(pod.name);
      continue;
    }
    ++groups.ready;
  }
  return groups;
}

void remove_samples(PodMetrics& metrics, const std::set<std::string>& pods) {
  for (const std::string& pod : pods) metrics.erase(pod);
}

}  // namespace troupe::hpa
