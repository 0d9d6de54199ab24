// A task: KAI's word for a pod of a group, with the state that the scheduler sees it in.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "actors/kai/resource_share.h"
#include "actors/scheduling/pod_info.h"

namespace troupe::kai {

enum class TaskStatus : std::uint16_t {
  Pending = 1U << 0,
  Gated = 1U << 1,
  Allocated = 1U << 2,  ///< placed by a statement that is not committed
  Pipelined = 1U << 3,  ///< waits for room that is being vacated
  Binding = 1U << 4,    ///< has a BindRequest
  Bound = 1U << 5,
  Running = 1U << 6,
  Releasing = 1U << 7,  ///< being deleted, or evicted by a statement
  Succeeded = 1U << 8,
  Failed = 1U << 9,
  Unknown = 1U << 10,
};

/// Sets of states (KAI, api/pod_status).
using StatusSet = std::uint16_t;
template <class... Status>
constexpr StatusSet statuses(Status... status) {
  return static_cast<StatusSet>((static_cast<unsigned>(status) | ...));
}
inline constexpr StatusSet kActiveAllocated =
    statuses(TaskStatus::Allocated, TaskStatus::Pipelined, TaskStatus::Binding, TaskStatus::Bound,
             TaskStatus::Running);
inline constexpr StatusSet kActiveUsed =
    static_cast<StatusSet>(kActiveAllocated | statuses(TaskStatus::Releasing));
inline constexpr StatusSet kAlive =
    static_cast<StatusSet>(kActiveAllocated | statuses(TaskStatus::Pending, TaskStatus::Gated));
/// What is charged to a queue.
inline constexpr StatusSet kCharged =
    statuses(TaskStatus::Allocated, TaskStatus::Binding, TaskStatus::Bound, TaskStatus::Running);

inline constexpr std::size_t kStatusCount = 11;
/// The position of a state in an array of counts.
constexpr std::size_t index_of(TaskStatus status) {
  return static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(status)));
}

constexpr bool is_in(TaskStatus status, StatusSet set) {
  return (static_cast<unsigned>(status) & set) != 0;
}

struct Job;

/// What is known of a task when a session opens.
struct TaskSettings {
  scheduling::PodPtr pod;
  TaskStatus status = TaskStatus::Pending;
  std::string node;             ///< where it is or will be; empty for a pending task
  std::string sub_group;        ///< empty: the default one
  std::optional<int> priority;  ///< kai.scheduler/task-priority: higher goes first
  /// The node's NodeInfo counts it: it is bound. One that is only to be bound is not there yet.
  bool counted = false;
};

struct Task {
  TaskSettings settings;
  Job* job = nullptr;
  std::size_t pod_set = 0;  ///< of the job
  std::optional<std::size_t>
      node;  ///< index in the session; none if it has none or its node is unknown
  TaskStatus status = TaskStatus::Pending;

  [[nodiscard]] const scheduling::PodInfo& pod() const { return *settings.pod; }
  [[nodiscard]] Quantities quantities() const { return quantities_of(settings.pod->requests); }
};

}  // namespace troupe::kai
