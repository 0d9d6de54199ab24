// How fast nodes may be given up: one at a time and zone by zone, and not at all while everything
// looks dead.
//
// If one node is gone, its pods should go elsewhere soon. If most of a zone is gone, it is more
// likely the network, and a slower pace gives it time. If every zone is gone, the controller itself
// is cut off, and nobody is to be evicted. kubernetes/kubernetes, pkg/controller/nodelifecycle:
// handleDisruption, ComputeZoneState, RateLimitedTimedQueue.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "messages/k8s/core.pb.h"
#include "messages/sim_time.h"

namespace troupe::workloads {

/// --node-eviction-rate: 0.1 nodes a second.
inline constexpr Duration kEvictionInterval = std::chrono::seconds(10);
/// --secondary-node-eviction-rate: 0.01 nodes a second, in a zone of which a part is down.
inline constexpr Duration kSecondaryEvictionInterval = std::chrono::seconds(100);
/// --large-cluster-size-threshold: in a smaller zone of which a part is down, no node is given up.
inline constexpr int kLargeZone = 50;

enum class ZoneState { Normal, PartialDisruption, FullDisruption };

/// How many nodes of a zone are ready and how many are not.
struct ZoneTally {
  int ready = 0;
  int not_ready = 0;
};

/// Partial: more than two nodes and at least 55 % of them (--unhealthy-zone-threshold) are not
/// ready.
[[nodiscard]] ZoneState zone_state(const ZoneTally& tally);
/// The time between two nodes of a zone that are given up; nothing: none is.
[[nodiscard]] std::optional<Duration> eviction_interval(ZoneState state, int zone_size);
/// The node's region and zone; empty if it has neither.
[[nodiscard]] std::string zone_of(const k8s::Node& node);

/// The nodes of one zone that wait to be given up. Each is handed out once, until it is removed.
class ZoneQueue {
 public:
  void set_interval(std::optional<Duration> interval, SimTime now);
  void add(const std::string& node);
  void remove(const std::string& node);
  /// A node that was handed out could not be tainted: it waits again.
  void put_back(const std::string& node);
  /// When the next node may go; nothing if none waits or none may.
  [[nodiscard]] std::optional<SimTime> due() const;
  /// The next node, if its time has come.
  [[nodiscard]] std::optional<std::string> take(SimTime now);

 private:
  std::optional<Duration> interval_ = kEvictionInterval;
  SimTime free_at_ = kTimeZero;  ///< when the bucket has its one token again
  std::deque<std::string> waiting_;
  std::set<std::string> known_;  ///< those that wait and those that were handed out
};

class EvictionZones {
 public:
  enum class Turn {
    None,
    AllWentDown,   ///< no zone has a ready node any more: give nobody up
    SomeCameBack,  ///< and now one has again: every node gets its full grace
  };

  /// What one look at all nodes has found, by zone.
  [[nodiscard]] Turn update(const std::map<std::string, ZoneTally>& tallies, SimTime now);
  [[nodiscard]] ZoneQueue& zone(const std::string& name) { return queues_[name]; }
  [[nodiscard]] std::optional<SimTime> due() const;
  [[nodiscard]] std::optional<std::string> take(SimTime now);

 private:
  void pace(const std::map<std::string, ZoneTally>& tallies, SimTime now);

  std::map<std::string, ZoneState> states_;
  std::map<std::string, ZoneQueue> queues_;
};

}  // namespace troupe::workloads
