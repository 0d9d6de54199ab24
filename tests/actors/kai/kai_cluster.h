// The short form in which KAI's own tables describe a cluster, and rounds of scheduling on it.
//
// Defaults as there: a node has 20 CPU, 20 GB and 110 pods; a task asks for 1 CPU and 1 GB; CPU and
// memory of queues are unlimited; a queue without parent hangs under an unlimited department;
// earlier listed queues are older; jobs are sorted by class and are a minute apart. Between rounds
// what was to be bound runs, and what was evicted or waits is pending.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/kai/cycle.h"
#include "actors/scheduling/cluster_cache.h"
#include "tests/support/cluster_objects.h"

namespace troupe::kai {

/// Shipped priority classes.
enum class Class : int { Train = 50, Build = 100, Inference = 125 };

struct TaskRow {
  int gpus = 1;
  TaskStatus status = TaskStatus::Pending;
  std::string node = {};
  std::string sub_group = {};
  std::optional<int> priority = std::nullopt;
  std::string cpu = "1";
};

struct JobRow {
  std::string name;
  std::string queue;
  Class of_class = Class::Train;
  std::vector<TaskRow> tasks = {TaskRow{}};
  int min_member = 0;  ///< 0: as many as there are tasks
  std::vector<SubGroupSettings> sub_groups = {};
  std::optional<Duration> stale_for = std::nullopt;
};

struct QueueRow {
  std::string name;
  int quota = 0;  ///< GPUs
  int weight = 0;
  int limit = -1;
  std::string parent = {};
  int priority = 100;
};

class KaiCluster {
 public:
  KaiCluster& node(const std::string& name, int gpus) {
    nodes_.push_back(testing::NodeBuilder(name).gpus(gpus).label("nvidia.com/gpu.memory", "100"));
    return *this;
  }
  KaiCluster& node(const testing::NodeBuilder& builder) {
    nodes_.push_back(builder);
    return *this;
  }
  /// A department's over-quota weight is its quota.
  KaiCluster& department(const std::string& name, int quota, int limit = -1) {
    add_queue({name, quota, quota, limit, "-"});
    return *this;
  }
  KaiCluster& queue(const QueueRow& row) {
    add_queue(row);
    return *this;
  }
  KaiCluster& job(const JobRow& row) {
    rows_.push_back(row);
    return *this;
  }
  KaiCluster& staleness_grace(Duration grace) {
    options_.staleness_grace = grace;
    return *this;
  }
  KaiCluster& at(SimTime now) {
    now_ = now;
    return *this;
  }

  /// One session; `only` one action of it.
  void run(std::string_view only = {}) {
    if (!built_) build();
    snapshot_.emplace(cache_snapshot());
    cycle_ = std::make_unique<Cycle>(SessionInput{*snapshot_, queues_, jobs_, now_, options_});
    cycle_->run(only);
    binds = evictions = pipelines = 0;
    for (const Commit& commit : cycle_->session().commits()) {
      binds += commit.binds.size();
      evictions += commit.evictions.size();
      pipelines += commit.pipelined.size();
    }
  }
  /// What the world makes of a session before the next one.
  void settle() {
    for (JobSettings& job : jobs_) {
      const Job& after = find(job.name);
      job.stale_since = after.stale_since;
      for (std::size_t i = 0; i < job.tasks.size(); ++i) settle(job.tasks[i], after.tasks[i]);
    }
  }
  void rounds(int count) {
    for (int i = 0; i < count; ++i) {
      if (cycle_) settle();
      run();
    }
  }

  [[nodiscard]] const Job& find(const std::string& name) const {
    for (const auto& job : cycle_->session().jobs()) {
      if (job->settings.name == name) return *job;
    }
    throw std::out_of_range(name);
  }
  [[nodiscard]] TaskStatus status(const std::string& job, std::size_t task = 0) const {
    return find(job).tasks.at(task).status;
  }
  [[nodiscard]] std::string node_of(const std::string& job, std::size_t task = 0) const {
    const auto node = find(job).tasks.at(task).node;
    return node ? cycle_->session().snapshot().nodes()[*node].name() : "";
  }
  [[nodiscard]] int count(const std::string& job, StatusSet set) const {
    return find(job).count(set);
  }
  /// The reason of the only error of a job; empty if it has none.
  [[nodiscard]] std::string reason(const std::string& job) const {
    return find(job).fit_errors.empty() ? "" : find(job).fit_errors.front().reason;
  }
  [[nodiscard]] std::string message(const std::string& job) const {
    return find(job).fit_errors.front().message;
  }
  [[nodiscard]] Session& session() { return cycle_->session(); }

  std::size_t binds = 0;
  std::size_t evictions = 0;
  std::size_t pipelines = 0;

 private:
  void add_queue(const QueueRow& row) {
    QueueSettings settings;
    settings.name = row.name;
    settings.parent = row.parent == "-" ? "" : row.parent;
    settings.priority = row.priority;
    settings.created = kTimeZero + std::chrono::seconds(queues_.size());
    for (auto& bounds : settings.bounds) bounds = {kUnlimited, kUnlimited, 1000};
    const auto milli = [](int gpus) { return gpus < 0 ? kUnlimited : std::int64_t{gpus} * 1000; };
    settings.bounds[static_cast<std::size_t>(Resource::Gpu)] = {milli(row.quota), milli(row.limit),
                                                                row.weight * 1000};
    if (row.parent.empty()) {
      settings.parent = "default";
      needs_default_ = true;
    }
    queues_.push_back(settings);
  }

  void build() {
    built_ = true;
    if (needs_default_) add_queue({"default", -1, 1, -1, "-"});
    std::stable_sort(rows_.begin(), rows_.end(), [](const JobRow& a, const JobRow& b) {
      return static_cast<int>(a.of_class) > static_cast<int>(b.of_class);
    });
    SimTime created = kTimeZero;
    for (const JobRow& row : rows_) {
      jobs_.push_back(settings_of(row, created));
      created += std::chrono::minutes(1);
    }
  }

  JobSettings settings_of(const JobRow& row, SimTime created) {
    JobSettings job;
    job.name_space = "default";
    job.name = row.name;
    job.uid = "uid-" + row.name;
    job.queue = row.queue;
    job.priority = static_cast<int>(row.of_class);
    job.preemptible = row.of_class == Class::Train;
    job.created = created;
    job.min_member = row.min_member > 0 ? row.min_member : static_cast<int>(row.tasks.size());
    job.sub_groups = row.sub_groups;
    if (row.stale_for) job.stale_since = now_ - *row.stale_for;
    for (std::size_t i = 0; i < row.tasks.size(); ++i) {
      const TaskRow& task = row.tasks[i];
      testing::PodBuilder pod(row.name + "-" + std::to_string(i));
      pod.cpu(task.cpu).memory("1G").gpus(task.gpus).scheduler("kai-scheduler").created(created);
      job.tasks.push_back({scheduling::make_pod_info(pod.share(), cache_.label_classes()),
                           task.status, task.node, task.sub_group, task.priority, false});
    }
    return job;
  }

  void settle(TaskSettings& task, const Task& after) const {
    task.status = after.status;
    if (after.status == TaskStatus::Binding) task.status = TaskStatus::Running;
    if (is_in(after.status, statuses(TaskStatus::Releasing, TaskStatus::Pipelined))) {
      task.status = TaskStatus::Pending;
    }
    const bool placed = after.node && task.status != TaskStatus::Pending;
    task.node = placed ? cycle_->session().snapshot().nodes()[*after.node].name() : "";
  }

  scheduling::Snapshot cache_snapshot() {
    if (cache_.node_count() == 0) {
      for (const auto& builder : nodes_) cache_.set_node(builder.share());
    }
    scheduling::Snapshot snapshot = cache_.empty_snapshot();
    cache_.refresh(snapshot);
    return snapshot;
  }

  std::vector<testing::NodeBuilder> nodes_;
  std::vector<QueueSettings> queues_;
  std::vector<JobRow> rows_;
  std::vector<JobSettings> jobs_;
  SessionOptions options_;
  SimTime now_ = kTimeZero + std::chrono::hours(10);
  bool needs_default_ = false;
  bool built_ = false;
  scheduling::ClusterCache cache_;
  std::optional<scheduling::Snapshot> snapshot_;
  std::unique_ptr<Cycle> cycle_;
};

}  // namespace troupe::kai
