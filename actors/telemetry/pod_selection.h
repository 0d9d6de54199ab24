// Which pods a query means: those of a namespace whose labels match.
#pragma once

#include <string>
#include <vector>

#include "actors/api_client/informer.h"
#include "messages/k8s/pod.pb.h"
#include "messages/telemetry.pb.h"

namespace troupe::telemetry {

/// Names, sorted.
[[nodiscard]] std::vector<std::string> selected_pods(const Informer<k8s::Pod>& pods,
                                                     const MetricsQuery& query);

}  // namespace troupe::telemetry
