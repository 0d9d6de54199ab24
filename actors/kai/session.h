// A session: the cluster at one moment, which one scheduling cycle of KAI works on and changes as
// it places tasks.
//
// Actions say what to attempt; plugins give their opinion at the points below, and register with
// the session when it opens; statements change it and can be undone. Nothing leaves a session but
// the statements that were committed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actors/kai/job.h"
#include "actors/kai/queue_info.h"
#include "actors/kai/tasks_to_allocate.h"
#include "actors/scheduling/filters.h"
#include "actors/scheduling/snapshot.h"

namespace troupe::kai {

struct SessionOptions {
  std::string scheduler_name = "kai-scheduler";
  /// default-staleness-grace-period; negative: a stale gang is never evicted.
  Duration staleness_grace = std::chrono::seconds(60);
  bool spread_gpus = false;  ///< nodeplacement: spread instead of binpack
  bool spread_cpus = false;
};

/// All that a session starts from.
struct SessionInput {
  const scheduling::Snapshot& snapshot;
  std::vector<QueueSettings> queues;
  std::vector<JobSettings> jobs;
  SimTime now;
  SessionOptions options;
};

/// A node and what is left of it: idle now, or being vacated.
struct NodeState {
  std::size_t index = 0;  ///< of the snapshot's node
  std::size_t rank = 0;   ///< position in the order of names, which breaks ties
  scheduling::Resources idle;
  scheduling::Resources releasing;

  /// Idle and releasing together.
  [[nodiscard]] scheduling::Resources available() const;
};

/// What a committed statement asks of the world.
struct Commit {
  struct Bind {
    const Task* task = nullptr;
    std::string node;
  };
  struct Eviction {
    const Task* task = nullptr;
    std::string message;
  };
  const Job* job = nullptr;
  bool starts_job = false;      ///< nothing of the job was placed before
  bool completes_gang = false;  ///< every pod set has its minimum now, and had not before
  std::vector<Bind> binds;
  std::vector<Eviction> evictions;
  std::vector<Bind> pipelined;  ///< only said in events
};

class Session {
 public:
  // ---- extension points: what a plugin may have an opinion on ----
  /// Negative if the left one goes first, 0 for no opinion. The first opinion counts.
  using JobOrder = std::function<int(const Job&, const Job&)>;
  using QueueOrder = std::function<int(const QueueInfo&, const QueueInfo&, Job* left, Job* right)>;
  using PodSetOrder = std::function<int(const PodSet&, const PodSet&)>;
  using TaskOrder = std::function<int(const Task&, const Task&)>;
  /// Whether the job may have these amounts more; an error if not.
  using JobCapacity = std::function<std::optional<JobFitError>(const Job&, const Quantities&)>;
  /// Why the task may not run on the node; empty if it may.
  using Predicate =
      std::function<std::string(const Task&, const scheduling::Filters&, const NodeState&)>;
  /// Looks at all candidates before they are scored.
  using NodePreScore = std::function<void(const Task&, std::span<const NodeState>)>;
  /// Points for the node, in millionths; all plugins' points are added.
  using NodeScore = std::function<std::int64_t(const Task&, const NodeState&)>;
  /// A task takes room in a queue, or gives it back.
  using TaskChange = std::function<void(const Task&)>;

  struct Hooks {
    std::vector<JobOrder> job_orders;
    std::vector<QueueOrder> queue_orders;
    std::vector<PodSetOrder> pod_set_orders;
    std::vector<TaskOrder> task_orders;
    std::vector<JobCapacity> job_capacities;
    std::vector<Predicate> predicates;
    std::vector<NodePreScore> node_pre_scores;
    std::vector<NodeScore> node_scores;
    std::vector<TaskChange> on_allocate;
    std::vector<TaskChange> on_deallocate;
  };

  explicit Session(SessionInput input);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Hooks& hooks() { return hooks_; }

  // ---- the cluster ----
  [[nodiscard]] SimTime now() const { return now_; }
  [[nodiscard]] const SessionOptions& options() const { return options_; }
  [[nodiscard]] std::span<const std::unique_ptr<Job>> jobs() const { return jobs_; }
  [[nodiscard]] QueueForest& queues() { return queues_; }
  [[nodiscard]] std::span<const NodeState> nodes() const { return nodes_; }
  [[nodiscard]] const scheduling::NodeInfo& info(const NodeState& node) const {
    return snapshot_.nodes()[node.index];
  }
  [[nodiscard]] const scheduling::Snapshot& snapshot() const { return snapshot_; }

  // ---- what the plugins think, combined ----
  [[nodiscard]] bool job_less(const Job& a, const Job& b) const;
  [[nodiscard]] bool queue_less(const QueueInfo& a, const QueueInfo& b, Job* left,
                                Job* right) const;
  [[nodiscard]] bool pod_set_less(const PodSet& a, const PodSet& b) const;
  [[nodiscard]] bool task_less(const Task& a, const Task& b) const;
  [[nodiscard]] std::optional<JobFitError> over_capacity(const Job& job,
                                                         const Quantities& more) const;
  /// What the next attempt at the job places.
  const Job::NextTasks& next_tasks(Job& job) const;
  /// Why the task does not go on the node; empty if it does.
  [[nodiscard]] std::string refusal(const Task& task, const scheduling::Filters& filters,
                                    const NodeState& node) const;
  /// The best node for the task that takes it now or once it is vacated.
  std::optional<std::size_t> best_node(const Task& task);

  // ---- changes, used by statements ----
  void put_on_node(Task& task, std::size_t node, TaskStatus status);
  void take_off_node(Task& task, TaskStatus status);
  /// The task stays where it is and counts differently there.
  void change_on_node(Task& task, TaskStatus status);
  void add_commit(Commit commit) { commits_.push_back(std::move(commit)); }

  [[nodiscard]] const std::vector<Commit>& commits() const { return commits_; }
  /// How many tasks a node was sought for: what deciding cost.
  [[nodiscard]] std::uint64_t attempted_tasks() const { return attempted_; }

 private:
  void place_tasks();
  void account(NodeState& node, const Task& task, int sign);
  void changed(const Task& task, TaskStatus before);

  SimTime now_;
  SessionOptions options_;
  scheduling::Snapshot snapshot_;  ///< the session's own copy
  QueueForest queues_;
  std::vector<std::unique_ptr<Job>> jobs_;  ///< in order of name
  std::vector<NodeState> nodes_;
  Hooks hooks_;
  std::vector<Commit> commits_;
  std::uint64_t attempted_ = 0;
};

}  // namespace troupe::kai
