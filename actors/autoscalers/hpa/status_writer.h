// From a finished sync to the status that the HPA object shows.
#pragma once

#include "actors/autoscalers/hpa/decision.h"
#include "messages/k8s/autoscaling.pb.h"

namespace troupe::hpa {

/// The status after a sync: replicas, current metrics, conditions. What the sync did not learn
/// keeps its old value. `rescaled` is whether the new size was accepted.
[[nodiscard]] k8s::HorizontalPodAutoscalerStatus status_after(
    const k8s::HorizontalPodAutoscaler& hpa, const Decision& decision,
    const ConditionList& conditions, std::optional<SimTime> rescaled);

}  // namespace troupe::hpa
