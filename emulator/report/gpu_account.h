// Where every GPU-minute went.
//
// From an instance's launch to its end each of its GPUs is, at every moment, in exactly one class,
// the first that fits: booting, faulty, draining, stranded, loading, busy, ready, unallocated. The
// classes are folded from per-GPU intervals, none is a remainder; `provisioned` is folded apart,
// from instance launches and ends, and a test shows that the classes add up to it. A shared GPU is
// split by milli-GPU.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulator/report/gang_account.h"
#include "emulator/runtime/observer.h"
#include "messages/facts.pb.h"
#include "messages/int128.h"

namespace troupe {

enum class GpuClass : std::uint8_t {
  Booting,   ///< not yet allocatable
  Faulty,    ///< unhealthy, or its node is down
  Draining,  ///< its pod is terminating
  Stranded,  ///< given to a pod whose gang is not complete
  Loading,   ///< image, weights, engine start
  Busy,      ///< at least one request in the engine, or a job at work
  Ready,     ///< a serving replica without work
  Unallocated,
};
inline constexpr std::array<std::string_view, 8> kGpuClassNames = {
    "booting", "faulty", "draining", "stranded", "loading", "busy", "ready", "unallocated"};

/// GPU time in nanoseconds times milli-GPU.
using GpuTime = Int128;
[[nodiscard]] double to_minutes(GpuTime time);

class GpuAccount final : public Observer {
 public:
  /// `gangs` must observe the same run before this does, and outlive it.
  explicit GpuAccount(GangAccount& gangs) : gangs_(gangs) {}

  void on_fact(const FactRecord& record) override;
  /// Closes every interval at `end`.
  void finish(SimTime end);

  [[nodiscard]] GpuTime in(GpuClass gpu_class) const {
    return totals_[static_cast<std::size_t>(gpu_class)];
  }
  [[nodiscard]] GpuTime provisioned() const { return provisioned_; }
  /// Held by pods that never said they serve: jobs and the like.
  [[nodiscard]] GpuTime not_serving() const { return not_serving_; }

 private:
  struct Share {
    std::string uid;
    std::uint32_t milli = 0;
  };
  struct Gpu {
    SimTime since{};
    bool allocatable = false;
    bool faulty = false;
    std::vector<Share> shares;
  };
  struct Node {
    SimTime launched{};
    std::vector<Gpu> gpus;
    bool down = false;
  };
  struct Pod {
    std::string node;
    std::vector<std::uint32_t> gpus;
    bool terminating = false;
    bool stranded = false;  ///< as of the last settled moment
    bool ready = false;
    bool busy = false;
    bool serving = false;
  };

  void launch(SimTime now, const facts::InstanceLaunched& fact);
  void end_node(SimTime now, const std::string& node);
  void assign(SimTime now, const facts::DevicesAssigned& fact);
  void release(SimTime now, const std::string& uid);
  void crash(SimTime now, const std::string& host);
  void change_gpu(SimTime now, const std::string& node, std::uint32_t gpu, bool Gpu::*field,
                  bool value);
  void change_pod(SimTime now, const std::string& uid, bool Pod::*field, bool value);
  void settle_pod(SimTime now, const std::string& uid);
  void settle_gangs(SimTime now);
  void settle(SimTime now, const Node& node, Gpu& gpu);
  [[nodiscard]] GpuClass class_of(const std::string& uid) const;

  GangAccount& gangs_;
  std::map<std::string, Node> nodes_;
  std::map<std::string, Pod> pods_;
  std::set<std::string> terminating_;  ///< pods that end before they hold a GPU
  std::array<GpuTime, kGpuClassNames.size()> totals_{};
  GpuTime provisioned_ = 0;
  GpuTime not_serving_ = 0;
};

}  // namespace troupe
