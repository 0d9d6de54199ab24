// From the objects of the API to the plain values of the HPA core.
#pragma once

#include <google/protobuf/repeated_field.h>

#include "actors/autoscalers/hpa/pod_state.h"
#include "actors/autoscalers/hpa/spec.h"
#include "messages/api.pb.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::hpa {

/// The HPA's wishes with the API's defaults: one replica at least; CPU at 80 % where no metric is
/// given; a behaviour's missing half filled in, its scale-down window with
/// `downscale_stabilization`.
[[nodiscard]] Spec spec_of(const k8s::HorizontalPodAutoscaler& hpa,
                           Duration downscale_stabilization);

[[nodiscard]] PodState pod_state_of(const k8s::Pod& pod);

using LabelRequirements = google::protobuf::RepeatedPtrField<api::LabelRequirement>;
/// The selector as the metrics APIs take it: pairs become "In" with one value.
[[nodiscard]] LabelRequirements requirements_of(const k8s::LabelSelector& selector);

/// The selector of a metric's series; the default instance where it has none.
[[nodiscard]] const k8s::LabelSelector& metric_selector_of(const k8s::MetricSpec& metric);

}  // namespace troupe::hpa
