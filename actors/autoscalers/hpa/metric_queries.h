// What an HPA asks the metrics APIs for each of its metrics, and what it makes of the answer.
#pragma once

#include "actors/autoscalers/hpa/metric_proposals.h"
#include "actors/autoscalers/hpa/spec.h"
#include "actors/autoscalers/hpa/spec_reader.h"
#include "messages/telemetry.pb.h"

namespace troupe::hpa {

/// The query for metric `index` of `spec`. `pods` selects the target's pods.
[[nodiscard]] telemetry::MetricsQuery query_for(const Spec& spec,
                                                const k8s::HorizontalPodAutoscaler& hpa,
                                                std::size_t index, const LabelRequirements& pods);

/// An answer without values is an error, as an HPA has it: never a zero.
[[nodiscard]] MetricReading reading_of(SourceType type, const telemetry::MetricsReply& reply);

}  // namespace troupe::hpa
