#include "actors/karpenter/scheduling/host_ports.h"

#include <algorithm>

namespace troupe::karpenter {

bool HostPort::clashes(const HostPort& other) const {
  const bool same_address = ip.empty() || other.ip.empty() || ip == other.ip;
  return same_address && port == other.port && protocol == other.protocol;
}

std::vector<HostPort> host_ports_of(const k8s::PodSpec& spec) {
  std::vector<HostPort> ports;
  for (const k8s::Container& container : spec.containers()) {
    for (const k8s::ContainerPort& port : container.ports()) {
      if (port.host_port() == 0) continue;
      const bool everywhere = port.host_ip() == "0.0.0.0" || port.host_ip() == "::";
      ports.push_back({everywhere ? "" : port.host_ip(),
                       port.has_protocol() ? port.protocol() : "TCP", port.host_port()});
    }
  }
  return ports;
}

void HostPorts::add(const std::vector<HostPort>& ports) {
  taken_.insert(taken_.end(), ports.begin(), ports.end());
}

bool HostPorts::conflicts(const std::vector<HostPort>& ports) const {
  return std::ranges::any_of(ports, [this](const HostPort& wanted) {
    return std::ranges::any_of(taken_,
                               [&](const HostPort& taken) { return taken.clashes(wanted); });
  });
}

}  // namespace troupe::karpenter
