#include "actors/scheduling/pod_info.h"

#include <algorithm>
#include <string_view>

namespace troupe::scheduling {
namespace {

/// Kubernetes, pkg/scheduler/util/pod_resources.go.
constexpr std::int64_t kDefaultMilliCpu = 100;
constexpr std::int64_t kDefaultMemoryBytes = 200LL * 1024 * 1024;

constexpr std::string_view kAnyAddress = "0.0.0.0";

/// Requests, and limits where a resource has a limit only: what the API server's defaulting does to
/// a container.
Resources container_requests(const k8s::Container& container) {
  Resources requests = resources_of(container.resources().requests());
  ResourceMap implied;
  for (const k8s::ResourceAmount& limit : container.resources().limits()) {
    const auto& given = container.resources().requests();
    const bool requested = std::any_of(given.begin(), given.end(), [&limit](const auto& one) {
      return one.name() == limit.name();
    });
    if (!requested) *implied.Add() = limit;
  }
  if (!implied.empty()) requests += resources_of(implied);
  return requests;
}

bool is_sidecar(const k8s::Container& container) {
  return container.restart_policy() == "Always";
}

struct Scored {
  std::int64_t milli_cpu = 0;
  std::int64_t memory_bytes = 0;

  void add(const Resources& requests) {
    milli_cpu += requests.milli_cpu != 0 ? requests.milli_cpu : kDefaultMilliCpu;
    memory_bytes += requests.memory_bytes != 0 ? requests.memory_bytes : kDefaultMemoryBytes;
  }
};

/// The scores' view counts the default for each container that asks for nothing.
Scored scored_requests(const k8s::PodSpec& spec, const Resources& requests) {
  Scored scored;
  for (const k8s::Container& container : spec.containers())
    scored.add(container_requests(container));
  for (const k8s::Container& container : spec.init_containers()) {
    if (is_sidecar(container)) scored.add(container_requests(container));
  }
  scored.milli_cpu = std::max(scored.milli_cpu, requests.milli_cpu);
  scored.memory_bytes = std::max(scored.memory_bytes, requests.memory_bytes);
  return scored;
}

/// A key of matchLabelKeys narrows the selector to the pod's own value of that label.
void add_own_values(const google::protobuf::RepeatedPtrField<std::string>& keys,
                    std::string_view op, const k8s::Pod& pod, k8s::LabelSelector& selector) {
  for (const std::string& key : keys) {
    const std::string* value = find_label(pod.metadata().labels(), key);
    if (value == nullptr) continue;
    auto* requirement = selector.add_match_expressions();
    requirement->set_key(key);
    requirement->set_operator_(std::string(op));
    requirement->add_values(*value);
  }
}

AffinityTerm term_of(const k8s::PodAffinityTerm& term, const k8s::Pod& pod, int weight) {
  AffinityTerm result;
  result.has_selector = term.has_label_selector();
  result.selector = term.label_selector();
  add_own_values(term.match_label_keys(), "In", pod, result.selector);
  add_own_values(term.mismatch_label_keys(), "NotIn", pod, result.selector);
  result.namespaces.assign(term.namespaces().begin(), term.namespaces().end());
  result.has_namespace_selector = term.has_namespace_selector();
  result.namespace_selector = term.namespace_selector();
  if (result.namespaces.empty() && !result.has_namespace_selector) {
    result.namespaces.push_back(pod.metadata().namespace_());
  }
  result.topology_key = term.topology_key();
  result.weight = weight;
  return result;
}

void add_terms(const k8s::PodAffinity& affinity, const k8s::Pod& pod,
               std::vector<AffinityTerm>& required, std::vector<AffinityTerm>& preferred) {
  for (const auto& term : affinity.required_during_scheduling_ignored_during_execution()) {
    required.push_back(term_of(term, pod, 0));
  }
  for (const auto& weighted : affinity.preferred_during_scheduling_ignored_during_execution()) {
    preferred.push_back(term_of(weighted.pod_affinity_term(), pod, weighted.weight()));
  }
}

std::shared_ptr<const PodAffinityTerms> affinity_of(const k8s::Pod& pod) {
  const k8s::Affinity& affinity = pod.spec().affinity();
  if (!affinity.has_pod_affinity() && !affinity.has_pod_anti_affinity()) return nullptr;
  auto terms = std::make_shared<PodAffinityTerms>();
  add_terms(affinity.pod_affinity(), pod, terms->required_affinity, terms->preferred_affinity);
  add_terms(affinity.pod_anti_affinity(), pod, terms->required_anti_affinity,
            terms->preferred_anti_affinity);
  return terms;
}

void add_host_ports(const k8s::Container& container, std::vector<HostPort>& ports) {
  for (const k8s::ContainerPort& port : container.ports()) {
    if (port.host_port() <= 0) continue;
    ports.push_back({port.host_ip().empty() ? std::string(kAnyAddress) : port.host_ip(),
                     port.protocol().empty() ? std::string("TCP") : port.protocol(),
                     port.host_port()});
  }
}

}  // namespace

bool AffinityTerm::matches(const std::string& name_space, const LabelMap& labels) const {
  if (!has_selector) return false;
  bool in_namespace =
      std::find(namespaces.begin(), namespaces.end(), name_space) != namespaces.end();
  if (!in_namespace && has_namespace_selector) {
    // The one label that every namespace has; others would need the Namespace objects.
    LabelMap of_namespace;
    set_label(of_namespace, "kubernetes.io/metadata.name", name_space);
    in_namespace = troupe::matches(namespace_selector, of_namespace);
  }
  return in_namespace && troupe::matches(selector, labels);
}

bool HostPort::conflicts_with(const HostPort& other) const {
  return port == other.port && protocol == other.protocol &&
         (ip == other.ip || ip == kAnyAddress || other.ip == kAnyAddress);
}

Resources requests_of(const k8s::PodSpec& spec) {
  Resources running;
  for (const k8s::Container& container : spec.containers())
    running += container_requests(container);
  Resources sidecars;
  Resources starting;
  for (const k8s::Container& container : spec.init_containers()) {
    Resources now = container_requests(container);
    if (is_sidecar(container)) {
      sidecars += now;
      now = sidecars;
    } else {
      now += sidecars;
    }
    starting.raise_to(now);
  }
  running += sidecars;
  running.raise_to(starting);
  if (spec.has_resources()) {
    // Pod-level requests replace the containers' sum for the resources that they name.
    const Resources of_pod = resources_of(spec.resources().requests());
    if (of_pod.milli_cpu != 0) running.milli_cpu = of_pod.milli_cpu;
    if (of_pod.memory_bytes != 0) running.memory_bytes = of_pod.memory_bytes;
  }
  running += resources_of(spec.overhead());
  running.pods = 1;
  return running;
}

PodPtr make_pod_info(std::shared_ptr<const k8s::Pod> pod, LabelClasses& classes) {
  auto info = std::make_shared<PodInfo>();
  const k8s::PodSpec& spec = pod->spec();
  info->requests = requests_of(spec);
  const Scored scored = scored_requests(spec, info->requests);
  info->scored_milli_cpu = scored.milli_cpu;
  info->scored_memory_bytes = scored.memory_bytes;
  info->label_class = classes.class_of(pod->metadata());
  for (const k8s::Container& container : spec.containers()) {
    add_host_ports(container, info->host_ports);
  }
  info->affinity = affinity_of(*pod);
  info->pod = std::move(pod);
  return info;
}

bool is_finished(const k8s::Pod& pod) {
  return pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed";
}

}  // namespace troupe::scheduling
