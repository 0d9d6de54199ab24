#include "actors/autoscalers/hpa/target_pods.h"

#include <algorithm>

#include "messages/selector.h"

namespace troupe::hpa {

std::optional<TargetPods::Selection> TargetPods::select(const std::string& hpa,
                                                        const std::string& selector) {
  const Result<k8s::LabelSelector> parsed = parse_selector(selector);
  if (selector.empty() || !parsed) {
    selectors_.erase(hpa);
    return std::nullopt;
  }
  selectors_[hpa] = *parsed;
  const std::string prefix = hpa.substr(0, hpa.find('/') + 1);
  const Objects pods = selected(prefix, *parsed);
  Selection selection{requirements_of(*parsed), {}, rivals(prefix, pods)};
  for (const auto& pod : pods) selection.pods.push_back(pod_state_of(*pod));
  return selection;
}

TargetPods::Objects TargetPods::selected(const std::string& prefix,
                                         const k8s::LabelSelector& selector) const {
  Objects pods;
  for (auto at = pods_.cache().lower_bound(prefix);
       at != pods_.cache().end() && at->first.starts_with(prefix); ++at) {
    if (matches(selector, at->second->metadata().labels())) pods.push_back(at->second);
  }
  return pods;
}

std::vector<std::string> TargetPods::rivals(const std::string& prefix, const Objects& pods) const {
  std::vector<std::string> names;
  for (auto at = selectors_.lower_bound(prefix);
       at != selectors_.end() && at->first.starts_with(prefix); ++at) {
    const bool shares = std::any_of(pods.begin(), pods.end(), [&](const auto& pod) {
      return matches(at->second, pod->metadata().labels());
    });
    if (shares) names.push_back(at->first);
  }
  return names;
}

}  // namespace troupe::hpa
