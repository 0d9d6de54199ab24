// KAI's sessions, one a round, on a cluster that does at once what a session asks.
//
// Between rounds whatever was to be bound runs, and whatever was evicted or waits for room is
// pending again, as in KAI's own tables. No message is sent and no time passes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/kai/cycle.h"
#include "actors/scheduling/cluster_cache.h"
#include "messages/conformance.pb.h"

namespace troupe::conformance {

/// A task as a case sees it.
struct TaskView {
  kai::TaskStatus status = kai::TaskStatus::Pending;
  std::string node;  ///< empty: none
  std::string sub_group;
};

struct JobView {
  std::string name;
  std::vector<TaskView> tasks;
  std::vector<kai::JobFitError> reasons;  ///< why it is not placed
  std::vector<std::string> task_errors;   ///< why its tasks found no node
};
using JobViews = std::vector<JobView>;  ///< in the case's order

/// What the last session asked of the world.
struct Calls {
  std::size_t binds = 0;
  std::size_t evicts = 0;
  std::size_t pipelines = 0;
};

class KaiRounds {
 public:
  explicit KaiRounds(const config::ConformanceCase& spec);

  /// One session.
  void run();
  /// What the world makes of it before the next one.
  void settle();

  [[nodiscard]] Calls calls() const;
  /// The jobs inside the session that ran last.
  [[nodiscard]] JobViews in_session() const;
  /// The same jobs as they stand in the cluster after settle().
  [[nodiscard]] JobViews in_cluster() const;

 private:
  [[nodiscard]] const kai::Job& session_job(const std::string& name) const;
  [[nodiscard]] std::string node_name(const kai::Task& task) const;
  void settle(kai::TaskSettings& task, const kai::Task& after) const;

  const config::Sync& sync_;
  scheduling::ClusterCache cache_;
  scheduling::Snapshot snapshot_ = cache_.empty_snapshot();
  std::vector<kai::QueueSettings> queues_;
  std::vector<kai::JobSettings> jobs_;
  kai::SessionOptions options_;
  std::unique_ptr<kai::Cycle> cycle_;
};

}  // namespace troupe::conformance
