#include "actors/telemetry/pod_selection.h"

#include <algorithm>

#include "messages/selector.h"

namespace troupe::telemetry {

std::vector<std::string> selected_pods(const Informer<k8s::Pod>& pods, const MetricsQuery& query) {
  std::vector<std::string> names;
  const std::string prefix = query.namespace_() + "/";
  for (auto at = pods.cache().lower_bound(prefix);
       at != pods.cache().end() && at->first.starts_with(prefix); ++at) {
    const k8s::ObjectMeta& meta = at->second->metadata();
    const bool selected = std::all_of(query.pod_selector().begin(), query.pod_selector().end(),
                                      [&](const api::LabelRequirement& one) {
                                        return requirement_matches(meta.labels(), one.key(),
                                                                   one.operator_(), one.values());
                                      });
    if (selected) names.push_back(meta.name());
  }
  return names;
}

}  // namespace troupe::telemetry
