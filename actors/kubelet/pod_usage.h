// What the containers of a pod have used: the cumulative CPU time and the memory that the summary
// API reports.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "messages/sim_time.h"

namespace troupe::kubelet {

struct UsageRate {
  std::int64_t cpu_milli = 0;  ///< thousandths of a core
  std::int64_t memory_bytes = 0;
};

class PodUsage {
 public:
  struct Reading {
    SimTime started;
    std::int64_t cpu_core_ns = 0;  ///< core-nanoseconds since the container started
    std::int64_t memory_bytes = 0;
  };

  /// The container starts, at zero.
  void begin(const std::string& container, UsageRate rate, SimTime now) {
    meters_[container] = {now, now, 0, rate};
  }
  void end(const std::string& container) { meters_.erase(container); }
  /// From now on it uses this much. A container that does not run is ignored.
  void set(const std::string& container, UsageRate rate, SimTime now) {
    const auto found = meters_.find(container);
    if (found == meters_.end()) return;
    found->second.core_ns = core_ns(found->second, now);
    found->second.since = now;
    found->second.rate = rate;
  }
  /// Of every running container, by name.
  [[nodiscard]] std::map<std::string, Reading> read(SimTime now) const {
    std::map<std::string, Reading> readings;
    for (const auto& [name, meter] : meters_) {
      readings[name] = {meter.started, core_ns(meter, now), meter.rate.memory_bytes};
    }
    return readings;
  }

 private:
  struct Meter {
    SimTime started;
    SimTime since;  ///< of the present rate
    std::int64_t core_ns = 0;
    UsageRate rate;
  };

  static std::int64_t core_ns(const Meter& meter, SimTime now) {
    return meter.core_ns + (now - meter.since).count() / 1000 * meter.rate.cpu_milli;
  }

  std::map<std::string, Meter> meters_;
};

}  // namespace troupe::kubelet
