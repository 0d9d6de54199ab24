// The ports of a node that pods have bound on it: two pods that want the same one cannot share the
// node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/k8s/pod.pb.h"

namespace troupe::karpenter {

struct HostPort {
  std::string ip;  ///< empty: every address
  std::string protocol;
  std::int32_t port = 0;

  [[nodiscard]] bool clashes(const HostPort& other) const;
};

[[nodiscard]] std::vector<HostPort> host_ports_of(const k8s::PodSpec& spec);

class HostPorts {
 public:
  void add(const std::vector<HostPort>& ports);
  [[nodiscard]] bool conflicts(const std::vector<HostPort>& ports) const;

 private:
  std::vector<HostPort> taken_;
};

}  // namespace troupe::karpenter
