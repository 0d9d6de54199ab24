#include "actors/karpenter/scheduling/simulated_pod.h"

#include <algorithm>
#include <utility>

#include "actors/karpenter/scheduling/preferences.h"

namespace troupe::karpenter {
namespace {

Requirements node_requirements(const google::protobuf::RepeatedPtrField<k8s::KeyValue>& selector,
                               const k8s::NodeAffinity& affinity, bool with_preference) {
  Requirements result = Requirements::of_labels(selector);
  const auto& preferred = affinity.preferred_during_scheduling_ignored_during_execution();
  if (with_preference && !preferred.empty()) {
    const auto& heaviest = *std::ranges::max_element(
        preferred, {}, [](const k8s::PreferredSchedulingTerm& term) { return term.weight(); });
    result.add(Requirements::of(heaviest.preference().match_expressions()));
  }
  const auto& required = affinity.required_during_scheduling_ignored_during_execution();
  if (!required.node_selector_terms().empty()) {
    result.add(Requirements::of(required.node_selector_terms(0).match_expressions()));
  }
  return result;
}

}  // namespace

Requirements strict_requirements_of(const k8s::PodSpec& spec) {
  return node_requirements(spec.node_selector(), spec.affinity().node_affinity(), false);
}

SimulatedPod::SimulatedPod(std::shared_ptr<const k8s::Pod> pod, std::vector<Requirements> volumes,
                           PreferencePolicy policy)
    : pod_(std::move(pod)),
      policy_(policy),
      affinity_(pod_->spec().affinity()),
      tolerations_(pod_->spec().tolerations()),
      spreads_(pod_->spec().topology_spread_constraints()),
      requests_(Resources::requested_by(*pod_)),
      ports_(host_ports_of(pod_->spec())),
      volumes_(std::move(volumes)) {
  read_requirements();
}

void SimulatedPod::read_requirements() {
  const auto& selector = pod_->spec().node_selector();
  strict_ = node_requirements(selector, affinity_.node_affinity(), false);
  requirements_ = policy_ == PreferencePolicy::Ignore
                      ? strict_
                      : node_requirements(selector, affinity_.node_affinity(), true);
}

std::optional<std::string> SimulatedPod::relax(bool tolerate_prefer_no_schedule) {
  Preferences preferences{affinity_, tolerations_, spreads_};
  std::optional<std::string> given_up = preferences.relax(tolerate_prefer_no_schedule);
  if (given_up) read_requirements();
  return given_up;
}

}  // namespace troupe::karpenter
