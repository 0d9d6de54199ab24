#include "actors/telemetry/scrape_targets.h"

#include "messages/conditions.h"
#include "messages/labels.h"

namespace troupe::telemetry {
namespace {

constexpr std::string_view kScrapeAnnotation = "prometheus.io/scrape";
constexpr std::string_view kGpuResource = "nvidia.com/gpu";

// A target's labels as the Prometheus Operator's PodMonitor sets them.
LabelSet labels_of(const k8s::Pod& pod) {
  return LabelSet{{"instance", pod.status().pod_ip()},
                  {"job", pod.metadata().namespace_() + "/pods"},
                  {"namespace", pod.metadata().namespace_()},
                  {"node", pod.spec().node_name()},
                  {"pod", pod.metadata().name()}};
}

// As NVIDIA's GPU operator deploys it: a pod of a DaemonSet in the namespace gpu-operator.
LabelSet exporter_labels(const std::string& node, const std::string& path) {
  return LabelSet{{"instance", path},
                  {"job", "nvidia-dcgm-exporter"},
                  {"namespace", "gpu-operator"},
                  {"node", node},
                  {"pod", "nvidia-dcgm-exporter-" + node}};
}

std::string object_of(const k8s::Pod& pod) {
  return "pod/" + pod.metadata().uid();
}
std::string object_of(const k8s::Node& node) {
  return "node/" + node.metadata().name();
}

std::string path_of_target(const k8s::Pod& pod) {
  if (pod.status().phase() != "Running") return {};
  if (label_or(pod.metadata().annotations(), kScrapeAnnotation) == "false") return {};
  return pod.status().pod_ip();
}

std::string path_of_target(const k8s::Node& node) {
  if (amount_of(node.status().capacity(), kGpuResource).is_zero()) return {};
  return "node/" + node.metadata().name() + "/dcgm-exporter";
}

}  // namespace

TargetChange ScrapeTargets::update(const k8s::Pod& pod) {
  ScrapeTarget target;
  target.labels = labels_of(pod);
  target.declared = label_or(pod.metadata().annotations(), kScrapeAnnotation) == "true";
  target.ready = is_true(pod.status().conditions(), "Ready");
  return set(object_of(pod), path_of_target(pod), std::move(target));
}

TargetChange ScrapeTargets::remove(const k8s::Pod& pod) {
  return set(object_of(pod), {}, {});
}

TargetChange ScrapeTargets::update(const k8s::Node& node) {
  ScrapeTarget target;
  const std::string path = path_of_target(node);
  target.labels = exporter_labels(node.metadata().name(), path);
  target.ready = is_true(node.status().conditions(), "Ready");
  return set(object_of(node), path, std::move(target));
}

TargetChange ScrapeTargets::remove(const k8s::Node& node) {
  return set(object_of(node), {}, {});
}

TargetChange ScrapeTargets::add(const StaticTarget& target) {
  ScrapeTarget entry;
  entry.labels = LabelSet(target.labels());
  entry.labels.set("instance", target.path());
  entry.labels.set("job", target.job());
  entry.declared = true;
  return set("static/" + target.path(), target.path(), std::move(entry));
}

TargetChange ScrapeTargets::set(const std::string& object, const std::string& path,
                                ScrapeTarget target) {
  const auto known = path_of_.find(object);
  if (known != path_of_.end() && known->second != path) {
    // Gone, or a pod with a new address: its old one no longer counts.
    const std::string old = known->second;
    given_up_.erase(old);
    path_of_.erase(known);
    if (targets_.erase(old) > 0 && path.empty()) return {old, false};
  }
  if (path.empty()) return {};
  path_of_[object] = path;
  if (given_up_.contains(path)) return {};
  const auto [at, added] = targets_.try_emplace(path, target);
  if (added) return {path, true};
  at->second.ready = target.ready;
  at->second.declared = target.declared;
  at->second.labels = std::move(target.labels);
  return {};
}

void ScrapeTargets::succeeded(const std::string& path) {
  const auto target = targets_.find(path);
  if (target == targets_.end()) return;
  target->second.answered = true;
  target->second.failures = 0;
}

TargetChange ScrapeTargets::failed(const std::string& path) {
  const auto at = targets_.find(path);
  if (at == targets_.end()) return {};
  ScrapeTarget& target = at->second;
  // Failures while it is still starting do not count: it will answer once its server is up.
  target.failures = target.ready ? target.failures + 1 : 0;
  if (target.declared || target.answered || target.failures < kPatience) return {};
  targets_.erase(at);
  given_up_.insert(path);
  return {path, false};
}

const ScrapeTarget* ScrapeTargets::find(const std::string& path) const {
  const auto target = targets_.find(path);
  return target == targets_.end() ? nullptr : &target->second;
}

}  // namespace troupe::telemetry
