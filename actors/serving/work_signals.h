// Who is told that a replica's GPUs work or rest: the GPUs, the other members of its group, and
// observers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/context.h"
#include "messages/facts.pb.h"
#include "messages/serving.pb.h"

namespace troupe::serving {

/// Tells each of the pod's own GPUs that kernels run from now on, or no longer.
void tell_gpus(Context& context, const ReplicaPlacement& placement, bool running);
/// Tells each of the pod's own GPUs how much of its memory the process holds.
void tell_gpus_memory(Context& context, const ReplicaPlacement& placement, std::int64_t mib);

/// Another pod of the replica's group.
struct GroupMember {
  std::string pod_uid;
  Address address;
};

/// The signals of a replica of one pod or of many; the leader speaks for all.
class WorkSignals {
 public:
  explicit WorkSignals(const ReplicaPlacement& placement) : placement_(placement) {}

  void set_members(std::vector<GroupMember> members) { members_ = std::move(members); }

  void work(Context& context, bool running);
  void memory(Context& context, std::int64_t mib);
  /// For every pod of the replica.
  void stage(Context& context, facts::WorkloadStage::Stage stage) const;

 private:
  void tell_members(Context& context) const;
  template <class Fact, class Fill>
  void emit_for_all(Context& context, const Fill& fill) const;

  ReplicaPlacement placement_;
  std::vector<GroupMember> members_;
  bool running_ = false;
  std::int64_t memory_mib_ = 0;
};

}  // namespace troupe::serving
