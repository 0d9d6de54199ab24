#include "actors/workloads/objects/pods.h"

#include <charconv>

#include <string>

#include "messages/conditions.h"
#include "messages/labels.h"

namespace troupe {
namespace {

constexpr std::string_view kReady = "Ready";

}  // namespace

bool is_terminal(const k8s::Pod& pod) {
  const std::string& phase = pod.status().phase();
  return phase == "Succeeded" || phase == "Failed";
}

bool is_terminating(const k8s::Pod& pod) {
  return pod.metadata().has_deletion_timestamp();
}

bool is_active(const k8s::Pod& pod) {
  return !is_terminal(pod) && !is_terminating(pod);
}

bool is_ready(const k8s::Pod& pod) {
  return is_true(pod.status().conditions(), kReady);
}

SimTime ready_since(const k8s::Pod& pod) {
  const k8s::Condition* ready = find_condition(pod.status().conditions(), kReady);
  return ready != nullptr && ready->status() == "True" ? from_ns(ready->last_transition_time())
                                                       : kTimeZero;
}

bool is_available(const k8s::Pod& pod, std::int32_t min_ready_seconds, SimTime now) {
  if (!is_ready(pod)) return false;
  return min_ready_seconds == 0 ||
         ready_since(pod) + std::chrono::seconds(min_ready_seconds) <= now;
}

bool is_bound(const k8s::Pod& pod) {
  return !pod.spec().node_name().empty();
}

std::int32_t restarts(const k8s::Pod& pod) {
  std::int32_t total = 0;
  for (const k8s::ContainerStatus& status : pod.status().container_statuses()) {
    total += status.restart_count();
  }
  return total;
}

bool is_unschedulable(const k8s::Pod& pod) {
  const k8s::Condition* scheduled = find_condition(pod.status().conditions(), "PodScheduled");
  return scheduled != nullptr && scheduled->reason() == "Unschedulable";
}

k8s::Pod pod_of(const k8s::PodTemplateSpec& pod_template, std::string_view name_space) {
  k8s::Pod pod;
  k8s::ObjectMeta& meta = *pod.mutable_metadata();
  meta.set_namespace_(std::string(name_space));
  *meta.mutable_labels() = pod_template.metadata().labels();
  *meta.mutable_annotations() = pod_template.metadata().annotations();
  *meta.mutable_finalizers() = pod_template.metadata().finalizers();
  *pod.mutable_spec() = pod_template.spec();
  return pod;
}

std::int32_t deletion_cost(const k8s::Pod& pod) {
  const std::string* text =
      find_label(pod.metadata().annotations(), "controller.kubernetes.io/pod-deletion-cost");
  std::int32_t cost = 0;
  if (text == nullptr) return 0;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, cost);
  return parsed.ec == std::errc{} && parsed.ptr == end ? cost : 0;
}

}  // namespace troupe
