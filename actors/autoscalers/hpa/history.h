// What an HPA remembers between syncs: recommendations and its own scale events. In the
// controller's memory only, so a restart forgets the stabilization windows and the rate limits with
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/autoscalers/hpa/scaling_rules.h"
#include "messages/sim_time.h"

namespace troupe::hpa {

struct Recommendation {
  std::int32_t replicas = 0;
  SimTime time{};
};

struct ScaleEvent {
  std::int32_t change = 0;  ///< pods added or removed, always positive
  SimTime time{};
};

struct History {
  std::vector<Recommendation> recommendations;  ///< unstabilized, in no particular order
  std::vector<ScaleEvent> scale_ups;
  std::vector<ScaleEvent> scale_downs;

  /// The first sync counts the replicas that it finds as a recommendation, so a new HPA does not
  /// scale down at once.
  void begin(std::int32_t current_replicas, SimTime now);
  /// Remembers a rescale that the API server accepted. One event that the longest period no longer
  /// covers is overwritten.
  void record_rescale(const Behavior& behavior, std::int32_t from, std::int32_t to, SimTime now);
};

}  // namespace troupe::hpa
