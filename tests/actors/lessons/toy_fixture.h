// The toy's configuration with the arrivals that the project ships.
#pragma once

#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>

#include "messages/lessons.pb.h"

namespace troupe::lessons {

inline std::int64_t ns_of(std::chrono::milliseconds time) {
  return std::chrono::nanoseconds(time).count();
}

/// The course's numbers; `service_tick` of 0 takes the ticks away.
inline ToyConfig toy_config(const std::string& policy, std::chrono::milliseconds service_tick) {
  using namespace std::chrono_literals;
  ToyConfig config;
  config.set_policy(policy);
  config.set_service_tick_ns(ns_of(service_tick));
  config.set_loop_ns(ns_of(15s));
  config.set_prefill_ns(ns_of(600ms));
  config.set_decode_ns(ns_of(1800ms));
  config.set_node_boot_ns(ns_of(50s));
  config.set_model_load_ns(ns_of(45s));
  config.set_patience_ns(ns_of(30s));
  config.set_replicas_min(1);
  config.set_replicas_max(16);
  config.set_linger_ns(ns_of(60s));
  config.set_service("lessons/toy");
  return config;
}

inline void add_shipped_arrivals(ToyConfig& config) {
  std::ifstream file(TROUPE_SOURCE_DIR "/scenarios/lessons/toy_arrivals.csv");
  std::string header;
  file >> header;
  for (std::int64_t second = 0; file >> second;) {
    config.add_arrivals_ns(ns_of(std::chrono::seconds(second)));
  }
}

}  // namespace troupe::lessons
