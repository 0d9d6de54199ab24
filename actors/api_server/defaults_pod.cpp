#include "actors/api_server/defaults_pod.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "messages/labels.h"

namespace troupe::apiserver {
namespace {

/// The tag of an image, "latest" if it has none. A colon before the last slash is a registry's
/// port.
std::string_view tag_of(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return "digest";
  const auto slash = image.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const auto colon = last.find(':');
  return colon == std::string_view::npos ? "latest" : last.substr(colon + 1);
}

void default_probe(k8s::Probe& probe) {
  if (!probe.has_timeout_seconds()) probe.set_timeout_seconds(1);
  if (!probe.has_period_seconds()) probe.set_period_seconds(10);
  if (!probe.has_success_threshold()) probe.set_success_threshold(1);
  if (!probe.has_failure_threshold()) probe.set_failure_threshold(3);
  if (!probe.has_http_get()) return;
  if (!probe.http_get().has_path()) probe.mutable_http_get()->set_path("/");
  if (!probe.http_get().has_scheme()) probe.mutable_http_get()->set_scheme("HTTP");
}

void default_container(k8s::Container& container) {
  if (!container.has_image_pull_policy()) {
    container.set_image_pull_policy(tag_of(container.image()) == "latest" ? "Always"
                                                                          : "IfNotPresent");
  }
  for (k8s::ContainerPort& port : *container.mutable_ports()) {
    if (!port.has_protocol()) port.set_protocol("TCP");
  }
  if (container.has_liveness_probe()) default_probe(*container.mutable_liveness_probe());
  if (container.has_readiness_probe()) default_probe(*container.mutable_readiness_probe());
  if (container.has_startup_probe()) default_probe(*container.mutable_startup_probe());
}

void default_requests(k8s::Container& container) {
  if (!container.has_resources()) return;
  k8s::ResourceRequirements& resources = *container.mutable_resources();
  for (const k8s::ResourceAmount& limit : resources.limits()) {
    const auto& requests = resources.requests();
    const bool asked = std::any_of(requests.begin(), requests.end(), [&](const auto& request) {
      return request.name() == limit.name();
    });
    if (asked) continue;
    *resources.add_requests() = limit;
    std::sort(resources.mutable_requests()->begin(), resources.mutable_requests()->end(),
              [](const auto& a, const auto& b) { return a.name() < b.name(); });
  }
}

enum class Qos { BestEffort, Burstable, Guaranteed };

Qos qos_of(const k8s::Container& container) {
  static constexpr std::array<std::string_view, 2> kCompute = {"cpu", "memory"};
  const k8s::ResourceRequirements& resources = container.resources();
  bool any = false;
  bool guaranteed = true;
  for (const std::string_view name : kCompute) {
    const Quantity request = amount_of(resources.requests(), name);
    const Quantity limit = amount_of(resources.limits(), name);
    any = any || !request.is_zero() || !limit.is_zero();
    guaranteed = guaranteed && !limit.is_zero() && request == limit;
  }
  if (guaranteed) return Qos::Guaranteed;
  return any ? Qos::Burstable : Qos::BestEffort;
}

}  // namespace

void default_pod_spec(k8s::PodSpec& spec) {
  if (!spec.has_restart_policy()) spec.set_restart_policy("Always");
  if (!spec.has_dns_policy()) spec.set_dns_policy("ClusterFirst");
  if (!spec.has_scheduler_name()) spec.set_scheduler_name("default-scheduler");
  if (!spec.has_termination_grace_period_seconds()) spec.set_termination_grace_period_seconds(30);
  for (k8s::Container& container : *spec.mutable_init_containers()) default_container(container);
  for (k8s::Container& container : *spec.mutable_containers()) default_container(container);
}

void default_pod(k8s::Pod& pod) {
  k8s::PodSpec& spec = *pod.mutable_spec();
  for (k8s::Container& container : *spec.mutable_init_containers()) default_requests(container);
  for (k8s::Container& container : *spec.mutable_containers()) default_requests(container);
  default_pod_spec(spec);
}

std::string qos_class_of(const k8s::PodSpec& spec) {
  bool all_guaranteed = true;
  bool all_best_effort = true;
  const auto look = [&](const k8s::Container& container) {
    const Qos qos = qos_of(container);
    all_guaranteed = all_guaranteed && qos == Qos::Guaranteed;
    all_best_effort = all_best_effort && qos == Qos::BestEffort;
  };
  for (const k8s::Container& container : spec.init_containers()) look(container);
  for (const k8s::Container& container : spec.containers()) look(container);
  if (all_best_effort) return "BestEffort";
  return all_guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace troupe::apiserver
