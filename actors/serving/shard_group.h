// The leader's view of its group: who has joined, who is still heard of.
//
// A LeaderWorkerSet replica is one engine over the GPUs of several pods. Nothing can be loaded
// before all of them are there, and nothing survives one of them. Members say that they are there,
// again and again; silence is loss.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/serving/work_signals.h"
#include "messages/serving.pb.h"
#include "messages/sim_time.h"

namespace troupe::serving {

class ShardGroup {
 public:
  /// A worker says every 3 s that it is there, and is lost after five silences: Ray's health check
  /// (RAY_health_check_period_ms, RAY_health_check_failure_threshold).
  static constexpr Duration kHeartbeat = std::chrono::seconds(3);
  static constexpr Duration kSilence = 5 * kHeartbeat;

  /// `session` names this life of the leader; not 0.
  ShardGroup(const ReplicaPlacement& leader, std::uint64_t session)
      : size_(leader.group_size()), leader_(leader), session_(session) {}

  [[nodiscard]] std::uint64_t session() const { return session_; }
  /// A member is there. False if it had joined an earlier leader: it cannot join this one.
  [[nodiscard]] bool heard(const ShardReady& ready, const Address& from, SimTime now);
  /// A member went before the group was complete.
  void left(std::uint32_t index) { members_.erase(index); }
  /// All members have joined.
  [[nodiscard]] bool complete() const { return members_.size() + 1 == size_; }
  /// Some member has been silent too long.
  [[nodiscard]] bool lost(SimTime now) const;

  [[nodiscard]] std::vector<GroupMember> members() const;
  /// GPUs of all members and the leader.
  [[nodiscard]] std::uint32_t gpus() const;
  /// All are in one NVLink domain: on one node, or on nodes that share a domain.
  [[nodiscard]] bool one_link_domain() const;

 private:
  struct Member {
    ShardReady ready;
    Address address;
    SimTime heard_at;
  };

  std::uint32_t size_;
  ReplicaPlacement leader_;
  std::uint64_t session_;
  std::map<std::uint32_t, Member> members_;  // by index
};

}  // namespace troupe::serving
