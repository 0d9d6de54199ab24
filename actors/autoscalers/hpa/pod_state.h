// What the replica calculator knows of a pod and of a metric's samples: plain values, so that the
// arithmetic can be tested without an API server.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/sim_time.h"

namespace troupe::hpa {

enum class PodPhase : std::uint8_t { Pending, Running, Succeeded, Failed, Unknown };

/// The pod's Ready condition. Absent and Unknown differ from False: only False makes a CPU sample
/// unusable.
enum class Readiness : std::uint8_t { Absent, True, False, Unknown };

/// The resource requests of one container, in thousandths (of a core, of a byte).
struct ContainerRequests {
  std::string name;
  std::map<std::string, std::int64_t> milli;
};

struct PodState {
  std::string name;
  PodPhase phase = PodPhase::Running;
  bool deleting = false;
  Readiness ready = Readiness::True;
  std::optional<SimTime> start_time;
  SimTime ready_transition{};                 ///< when the Ready condition last changed
  std::vector<ContainerRequests> containers;  ///< restartable init containers included
  /// Requests of the pod as a whole (spec.resources); they stand in for the containers' where
  /// present.
  std::optional<std::map<std::string, std::int64_t>> pod_requests;
};

/// One pod's value of a metric.
struct MetricPoint {
  std::int64_t milli = 0;  ///< thousandths of the metric's unit
  SimTime timestamp{};
  Duration window{};
};

/// By pod name. May hold pods that the lister no longer has, as in life.
using PodMetrics = std::map<std::string, MetricPoint>;

}  // namespace troupe::hpa
