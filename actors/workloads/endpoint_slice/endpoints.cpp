#include "actors/workloads/endpoint_slice/endpoints.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "actors/workloads/objects/pods.h"
#include "messages/labels.h"

namespace troupe::workloads {
namespace {

constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
constexpr std::string_view kTcp = "TCP";

std::string_view protocol_of(const std::string& protocol) {
  return protocol.empty() ? kTcp : std::string_view(protocol);
}

std::optional<std::int32_t> named_port(const k8s::Container& container,
                                       const k8s::ServicePort& wanted) {
  for (const k8s::ContainerPort& port : container.ports()) {
    if (port.name() == wanted.target_port() &&
        protocol_of(port.protocol()) == protocol_of(wanted.protocol())) {
      return port.container_port();
    }
  }
  return std::nullopt;
}

std::optional<std::int32_t> target_port(const k8s::Pod& pod, const k8s::ServicePort& wanted) {
  if (wanted.target_port().empty()) return wanted.port();
  const std::string& text = wanted.target_port();
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return number;
  for (const k8s::Container& container : pod.spec().containers()) {
    if (const auto port = named_port(container, wanted)) return port;
  }
  for (const k8s::Container& container : pod.spec().init_containers()) {
    if (container.restart_policy() != "Always") continue;  // not a sidecar
    if (const auto port = named_port(container, wanted)) return port;
  }
  return std::nullopt;
}

}  // namespace

bool is_endpoint(const k8s::Pod& pod) {
  return !is_terminal(pod) && !pod.status().pod_ip().empty();
}

k8s::Endpoint endpoint_of(const k8s::Pod& pod, const k8s::Node* node, const k8s::Service& service) {
  k8s::Endpoint endpoint;
  endpoint.add_addresses(pod.status().pod_ip());
  const bool serving = is_ready(pod);
  const bool terminating = is_terminating(pod);
  k8s::EndpointConditions& conditions = *endpoint.mutable_conditions();
  conditions.set_ready(service.spec().publish_not_ready_addresses() || (serving && !terminating));
  conditions.set_serving(serving);
  conditions.set_terminating(terminating);
  k8s::ObjectReference& target = *endpoint.mutable_target_ref();
  target.set_kind("Pod");
  target.set_namespace_(pod.metadata().namespace_());
  target.set_name(pod.metadata().name());
  target.set_uid(pod.metadata().uid());
  if (is_bound(pod)) endpoint.set_node_name(pod.spec().node_name());
  const std::string* zone =
      node != nullptr ? find_label(node->metadata().labels(), kZoneLabel) : nullptr;
  if (zone != nullptr && !zone->empty()) endpoint.set_zone(*zone);
  const bool has_name =
      !pod.spec().hostname().empty() && pod.spec().subdomain() == service.metadata().name();
  if (has_name) endpoint.set_hostname(pod.spec().hostname());
  return endpoint;
}

std::vector<k8s::EndpointPort> ports_of(const k8s::Pod& pod, const k8s::Service& service) {
  std::vector<k8s::EndpointPort> ports;
  for (const k8s::ServicePort& wanted : service.spec().ports()) {
    const auto number = target_port(pod, wanted);
    if (!number) continue;
    k8s::EndpointPort& port = ports.emplace_back();
    port.set_name(wanted.name());
    port.set_port(*number);
    port.set_protocol(std::string(protocol_of(wanted.protocol())));
    if (wanted.has_app_protocol()) port.set_app_protocol(wanted.app_protocol());
  }
  std::ranges::sort(ports, {},
                    [](const k8s::EndpointPort& port) { return port.SerializeAsString(); });
  return ports;
}

std::string identity_of(const k8s::Endpoint& endpoint) {
  std::string identity;
  for (const std::string& address : endpoint.addresses()) identity += address + ' ';
  identity += endpoint.hostname() + ' ';
  return identity + endpoint.target_ref().namespace_() + '/' + endpoint.target_ref().name();
}

bool changes_endpoints(const k8s::Pod& before, const k8s::Pod& after) {
  return is_ready(before) != is_ready(after) || is_terminating(before) != is_terminating(after) ||
         is_terminal(before) != is_terminal(after) ||
         before.status().pod_ip() != after.status().pod_ip() ||
         before.spec().hostname() != after.spec().hostname() ||
         before.spec().subdomain() != after.spec().subdomain() ||
         !same_labels(before.metadata().labels(), after.metadata().labels());
}

}  // namespace troupe::workloads
