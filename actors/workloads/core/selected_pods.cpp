#include "actors/workloads/core/selected_pods.h"

#include <utility>

#include "actors/api_client/object_key.h"

namespace troupe::workloads {
namespace {

/// "namespace/" of "namespace/name": objects select pods of their own namespace only.
std::string namespace_prefix(const std::string& path) {
  return path.substr(0, path.find('/') + 1);
}

}  // namespace

void SelectedPods::select(const std::string& key, Matcher matcher) {
  Selection& selection = selections_[key];
  selection.matcher = std::move(matcher);
  selection.pods.clear();
  const std::string prefix = namespace_prefix(key);
  const auto& cache = pods_.cache();
  for (auto at = cache.lower_bound(prefix); at != cache.end() && at->first.starts_with(prefix);
       ++at) {
    if (selection.matcher(at->second->metadata().labels())) selection.pods.insert(*at);
  }
}

void SelectedPods::forget(const std::string& key) {
  selections_.erase(key);
}

SelectedPods::Keys SelectedPods::set(const PodPtr& pod) {
  Keys touched;
  const std::string path = path_of(pod->metadata());
  const std::string prefix = namespace_prefix(path);
  for (auto at = selections_.lower_bound(prefix);
       at != selections_.end() && at->first.starts_with(prefix); ++at) {
    auto& [key, selection] = *at;
    const bool selected = selection.matcher(pod->metadata().labels());
    if (selected) {
      selection.pods[path] = pod;
    } else if (selection.pods.erase(path) == 0) {
      continue;
    }
    touched.insert(key);
  }
  return touched;
}

SelectedPods::Keys SelectedPods::erase(const k8s::Pod& pod) {
  Keys touched;
  const std::string path = path_of(pod.metadata());
  const std::string prefix = namespace_prefix(path);
  for (auto at = selections_.lower_bound(prefix);
       at != selections_.end() && at->first.starts_with(prefix); ++at) {
    if (at->second.pods.erase(path) > 0) touched.insert(at->first);
  }
  return touched;
}

const std::map<std::string, PodPtr>& SelectedPods::of(const std::string& key) const {
  static const std::map<std::string, PodPtr> none;
  const auto found = selections_.find(key);
  return found != selections_.end() ? found->second.pods : none;
}

}  // namespace troupe::workloads
