// A job: KAI's word for a PodGroup in a session, with its tasks in gangs that are all placed or
// none.
//
// Sub-groups form a tree. A leaf is a *pod set* with a minimum of its own; a group without
// sub-groups is one pod set named `default`. Up to its minimum a pod set is placed at once, beyond
// it one pod at a time.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/kai/task.h"
#include "messages/sim_time.h"

namespace troupe::kai {

inline constexpr std::string_view kDefaultSubGroup = "default";

struct SubGroupSettings {
  std::string name;
  int min_member = 1;
  std::string parent;  ///< empty: the root
};

/// What is known of a PodGroup when a session opens.
struct JobSettings {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string queue;
  int priority = 50;  ///< of its class; KAI's default is that of `train`
  bool preemptible = true;
  SimTime created;
  int min_member = 1;
  std::vector<SubGroupSettings> sub_groups;
  std::vector<TaskSettings> tasks;
  std::optional<SimTime> stale_since;

  [[nodiscard]] std::string full_name() const { return name_space + "/" + name; }
};

struct PodSet {
  std::string name;
  int minimum = 1;
  std::vector<Task*> tasks;
  std::array<int, kStatusCount> counts{};  ///< by index_of(status)

  [[nodiscard]] int count(StatusSet set) const;
  /// Enough pods exist and are not gated.
  [[nodiscard]] bool is_ready() const;
  /// The minimum is placed or running.
  [[nodiscard]] bool is_satisfied() const { return count(kActiveAllocated) >= minimum; }
  [[nodiscard]] bool is_gang_alive() const { return count(kActiveUsed) >= minimum; }
};

/// An inner vertex of the sub-group tree; index 0 of a job's `sets` is the root.
struct SubGroupSet {
  std::string name;
  std::vector<std::size_t> child_sets;
  std::vector<std::size_t> pod_sets;
};

/// Why a job is not placed, as the PodGroup's condition says it.
struct JobFitError {
  std::string reason;  ///< "OverLimit", "NonPreemptibleOverQuota", "QueueDoesNotExist",
                       ///< "PodSchedulingErrors"
  std::string message;
};

struct Job {
  explicit Job(JobSettings given);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  void set_status(Task& task, TaskStatus status);
  [[nodiscard]] int count(StatusSet set) const;
  [[nodiscard]] bool is_ready() const;
  /// Some pod set has lost members below its minimum while others of the job go on, and none has
  /// succeeded.
  [[nodiscard]] bool is_stale() const;
  [[nodiscard]] bool is_satisfied() const;
  /// The job would run partly on room that is still to be vacated, and without its minimum for now.
  [[nodiscard]] bool must_be_pipelined() const;
  [[nodiscard]] bool is_gang() const;

  JobSettings settings;
  std::vector<Task> tasks;
  std::vector<PodSet> pod_sets;  ///< in order of name
  std::vector<SubGroupSet> sets;
  std::optional<SimTime> stale_since;

  std::vector<JobFitError> fit_errors;
  std::map<std::string, std::string> task_errors;  ///< by uid of the pod

  /// What the next attempt will place, until a status changes; see tasks_to_allocate.h.
  struct NextTasks {
    std::vector<Task*> tasks;
    Quantities total;
  };
  std::optional<NextTasks> next;
};

}  // namespace troupe::kai
