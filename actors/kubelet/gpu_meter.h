// What one GPU counts: how long at least one kernel ran, and how much memory its processes hold.
//
// NVML's utilisation is the share of time in which any kernel was executing, whatever the number of
// streams, so work of several processes counts once. Two processes that share the GPU keep it busy
// from the first start to the last end.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "messages/sim_time.h"

namespace troupe::kubelet {

class GpuMeter {
 public:
  void begin(const std::string& uid, SimTime now) {
    if (busy_.empty()) since_ = now;
    busy_.insert(uid);
  }
  void end(const std::string& uid, SimTime now) {
    if (busy_.erase(uid) > 0 && busy_.empty()) total_ += now - since_;
  }
  void set_memory(const std::string& uid, std::int64_t mib) { memory_mib_[uid] = mib; }
  /// The process is gone.
  void forget(const std::string& uid, SimTime now) {
    end(uid, now);
    memory_mib_.erase(uid);
  }

  [[nodiscard]] Duration busy_time(SimTime now) const {
    return busy_.empty() ? total_ : total_ + (now - since_);
  }
  [[nodiscard]] std::int64_t memory_mib() const {
    std::int64_t sum = 0;
    for (const auto& [uid, mib] : memory_mib_) sum += mib;
    return sum;
  }

 private:
  std::set<std::string> busy_;
  SimTime since_ = kTimeZero;
  Duration total_{0};
  std::map<std::string, std::int64_t> memory_mib_;
};

}  // namespace troupe::kubelet
