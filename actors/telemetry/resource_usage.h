// metrics-server's memory: the last two looks at each container, and the CPU rate between them.
//
// The CPU figure of a container needs two looks, so a new pod has none for about two periods after
// its start; a pod shows only once all its containers do. The window of a figure is the time
// between the two looks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "messages/sim_time.h"
#include "messages/telemetry.pb.h"

namespace troupe::telemetry {

class ResourceUsage {
 public:
  struct PodKey {
    std::string name_space;
    std::string pod;
    friend bool operator<(const PodKey& a, const PodKey& b) {
      return std::tie(a.name_space, a.pod) < std::tie(b.name_space, b.pod);
    }
  };

  /// Takes one node's summary. Containers that the node no longer shows are forgotten; figures that
  /// are no newer than those of the last summary change nothing.
  void store(const std::string& node, const NodeSummaryReply& summary);
  void forget_node(const std::string& node);

  /// The pod's use of "cpu" (thousandths of a core) or "memory" (thousandths of a byte): of one
  /// container if it is named, else of all. None if any of its containers has no figure yet.
  [[nodiscard]] std::optional<MetricValue> usage(const PodKey& pod, const std::string& resource,
                                                 const std::string& container) const;

 private:
  struct Look {
    SimTime time{};
    std::int64_t cpu_core_ns = 0;
    std::int64_t memory_bytes = 0;
  };
  struct Container {
    SimTime started{};
    std::optional<Look> before;
    Look last;
  };
  struct Pod {
    std::string node;
    std::map<std::string, Container> containers;
  };

  [[nodiscard]] static Container follow(const Container* known, const ContainerUsage& usage,
                                        SimTime time);
  [[nodiscard]] static std::optional<MetricValue> figure(const Container& container,
                                                         const std::string& resource);

  std::map<PodKey, Pod> pods_;
  std::map<std::string, std::set<PodKey>> pods_of_;  // by node
};

}  // namespace troupe::telemetry
