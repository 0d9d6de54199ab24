// Counts of what happened to pods, nodes, autoscalers and faults, and what the instances cost.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "emulator/runtime/observer.h"
#include "messages/facts.pb.h"
#include "messages/int128.h"

namespace troupe {

struct PodTotals {
  std::uint64_t created = 0;
  std::uint64_t scheduled = 0;
  std::uint64_t running = 0;  ///< started their containers, now or once
  std::uint64_t evicted = 0;
  std::uint64_t failed = 0;
};
struct NodeTotals {
  std::uint64_t initial = 0;   ///< there at time 0
  std::uint64_t launched = 0;  ///< since then
  std::uint64_t terminated = 0;
  std::uint64_t interrupted = 0;
};
struct AutoscalerTotals {
  std::uint64_t decisions = 0;  ///< syncs that came to a number
  std::uint64_t scale_ups = 0;
  std::uint64_t scale_downs = 0;
  std::optional<SimTime> first_scale_up;
  std::string first_signal;  ///< what it said it saw then
  std::int64_t peak = 0;     ///< largest number of replicas that it asked for
  SimTime peak_at{};
};

class ClusterAccount final : public Observer {
 public:
  void on_fact(const FactRecord& record) override;
  /// Charges what runs until `end`.
  void finish(SimTime end);

  [[nodiscard]] const PodTotals& pods() const { return pods_; }
  [[nodiscard]] const NodeTotals& nodes() const { return nodes_; }
  /// What a scheduler last said of the pods that have no node, by "namespace/name".
  [[nodiscard]] std::map<std::string, std::string> unschedulable() const;
  [[nodiscard]] const std::map<std::string, AutoscalerTotals>& autoscalers() const {
    return autoscalers_;
  }
  [[nodiscard]] const std::map<std::string, std::uint64_t>& faults() const { return faults_; }
  /// In dollars, billed by the second from launch to end.
  [[nodiscard]] double cost_usd() const;
  /// Pairs of model, GPU and tensor parallel size without a measured table behind their constants.
  [[nodiscard]] const std::set<std::string>& extrapolated() const { return extrapolated_; }

 private:
  struct Instance {
    SimTime launched{};
    std::int64_t price_micro_usd_per_hour = 0;
  };

  struct Waiting {
    std::string name;
    std::string why;
  };

  bool on_pod_fact(const Payload& fact);
  void on_scheduling_fact(const Payload& fact);
  void scale(SimTime now, const facts::ScalingDecision& fact);
  void launch(SimTime now, const facts::InstanceLaunched& fact);
  void terminate(SimTime now, const std::string& instance);
  void charge(SimTime until, const Instance& instance);

  PodTotals pods_;
  std::set<std::string> started_;
  std::map<std::string, Waiting> waiting_;  ///< by uid
  NodeTotals nodes_;
  std::map<std::string, AutoscalerTotals> autoscalers_;
  std::map<std::string, std::uint64_t> faults_;
  std::map<std::string, Instance> instances_;
  Int128 cost_micro_usd_ns_per_hour_ = 0;  ///< micro-dollar an hour, times nanoseconds
  std::set<std::string> extrapolated_;
};

}  // namespace troupe
