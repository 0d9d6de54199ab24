#include "actors/kai/session.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "messages/assert.h"

namespace troupe::kai {
namespace {

/// The first opinion among the orders; 0 if nobody has one.
template <class Orders, class... Args>
int first_opinion(const Orders& orders, Args&&... args) {
  for (const auto& order : orders) {
    if (const int opinion = order(args...); opinion != 0) return opinion;
  }
  return 0;
}

/// Sums the resources of which a node has less than the pod asks for, in KAI's words.
std::string shortage_text(const scheduling::Resources& wanted, const scheduling::Resources& free) {
  std::string text;
  const auto add = [&text](std::int64_t asked, std::int64_t left, const std::string& what) {
    if (asked <= 0 || asked <= left) return;
    text += (text.empty() ? "" : ". \n");
    text += "node(s) didn't have enough resources: " + what;
  };
  add(wanted.milli_gpu, free.milli_gpu, "GPUs");
  add(wanted.milli_cpu, free.milli_cpu, "CPU cores");
  add(wanted.memory_bytes, free.memory_bytes, "memory");
  add(wanted.ephemeral_bytes, free.ephemeral_bytes, "ephemeral-storage");
  for (const auto& [name, amount] : wanted.others) add(amount, free.amount_of(name), name);
  if (text.empty()) text = "node(s) pod number exceeded";
  return text;
}

NodeState state_of(std::size_t index, const scheduling::NodeInfo& info) {
  NodeState state{index, 0, info.allocatable(), {}};
  state.idle -= info.requested();
  for (const scheduling::PodPtr& pod : info.pods()) {
    if (pod->terminating()) state.releasing += pod->requests;
  }
  return state;
}

}  // namespace

scheduling::Resources NodeState::available() const {
  scheduling::Resources sum = idle;
  sum += releasing;
  return sum;
}

Session::Session(SessionInput input)
    : now_(input.now),
      options_(std::move(input.options)),
      snapshot_(input.snapshot),
      queues_(input.queues) {
  std::stable_sort(input.jobs.begin(), input.jobs.end(),
                   [](const JobSettings& a, const JobSettings& b) {
                     return std::tie(a.name_space, a.name) < std::tie(b.name_space, b.name);
                   });
  for (JobSettings& job : input.jobs) jobs_.push_back(std::make_unique<Job>(std::move(job)));
  std::vector<std::size_t> by_name;
  for (std::size_t i = 0; i < snapshot_.nodes().size(); ++i) {
    nodes_.push_back(state_of(i, snapshot_.nodes()[i]));
    by_name.push_back(i);
  }
  std::stable_sort(by_name.begin(), by_name.end(), [this](std::size_t a, std::size_t b) {
    return snapshot_.nodes()[a].name() < snapshot_.nodes()[b].name();
  });
  for (std::size_t rank = 0; rank < by_name.size(); ++rank) nodes_[by_name[rank]].rank = rank;
  place_tasks();
}

void Session::place_tasks() {
  for (const auto& job : jobs_) {
    for (Task& task : job->tasks) {
      if (!is_in(task.status, kActiveUsed)) continue;
      const auto index = snapshot_.find(task.settings.node);
      if (!index) continue;
      task.node = *index;
      if (task.settings.counted) continue;
      account(nodes_[*index], task, 1);
      snapshot_.mutable_node(*index).add_pod(task.settings.pod);
    }
  }
}

void Session::account(NodeState& node, const Task& task, int sign) {
  scheduling::Resources& taken = task.status == TaskStatus::Pipelined ? node.releasing : node.idle;
  const scheduling::Resources& amount = task.pod().requests;
  if (sign > 0) {
    taken -= amount;
    if (task.status == TaskStatus::Releasing) node.releasing += amount;
  } else {
    taken += amount;
    if (task.status == TaskStatus::Releasing) node.releasing -= amount;
  }
}

void Session::changed(const Task& task, TaskStatus before) {
  const StatusSet charged = static_cast<StatusSet>(kCharged | statuses(TaskStatus::Pipelined));
  const bool was = is_in(before, charged);
  const bool is = is_in(task.status, charged);
  if (was == is) return;
  for (const TaskChange& hook : is ? hooks_.on_allocate : hooks_.on_deallocate) hook(task);
}

void Session::put_on_node(Task& task, std::size_t node, TaskStatus status) {
  TROUPE_ASSERT(!task.node, "task " + task.pod().full_name() + " has a node already");
  const TaskStatus before = task.status;
  task.job->set_status(task, status);
  task.node = node;
  account(nodes_[node], task, 1);
  snapshot_.mutable_node(node).add_pod(task.settings.pod);
  changed(task, before);
}

void Session::take_off_node(Task& task, TaskStatus status) {
  const std::size_t node = *task.node;
  const TaskStatus before = task.status;
  account(nodes_[node], task, -1);
  snapshot_.mutable_node(node).remove_pod(task.pod().uid());
  task.node.reset();
  task.job->set_status(task, status);
  changed(task, before);
}

void Session::change_on_node(Task& task, TaskStatus status) {
  const TaskStatus before = task.status;
  if (task.node) account(nodes_[*task.node], task, -1);
  task.job->set_status(task, status);
  if (task.node) account(nodes_[*task.node], task, 1);
  changed(task, before);
}

bool Session::job_less(const Job& a, const Job& b) const {
  if (const int opinion = first_opinion(hooks_.job_orders, a, b); opinion != 0) return opinion < 0;
  return std::tie(a.settings.created, a.settings.uid) <
         std::tie(b.settings.created, b.settings.uid);
}

bool Session::queue_less(const QueueInfo& a, const QueueInfo& b, Job* left, Job* right) const {
  const int opinion = first_opinion(hooks_.queue_orders, a, b, left, right);
  if (opinion != 0) return opinion < 0;
  return std::tie(a.settings.created, a.settings.name) <
         std::tie(b.settings.created, b.settings.name);
}

bool Session::pod_set_less(const PodSet& a, const PodSet& b) const {
  const int opinion = first_opinion(hooks_.pod_set_orders, a, b);
  return opinion != 0 ? opinion < 0 : a.name < b.name;
}

bool Session::task_less(const Task& a, const Task& b) const {
  const int opinion = first_opinion(hooks_.task_orders, a, b);
  if (opinion != 0) return opinion < 0;
  const auto key = [](const Task& task) {
    return std::pair(task.pod().created(), std::string_view(task.pod().uid()));
  };
  return key(a) < key(b);
}

std::optional<JobFitError> Session::over_capacity(const Job& job, const Quantities& more) const {
  for (const JobCapacity& capacity : hooks_.job_capacities) {
    if (auto error = capacity(job, more)) return error;
  }
  return std::nullopt;
}

const Job::NextTasks& Session::next_tasks(Job& job) const {
  return tasks_to_allocate(
      job, [this](const PodSet& a, const PodSet& b) { return pod_set_less(a, b); },
      [this](const Task& a, const Task& b) { return task_less(a, b); });
}

std::string Session::refusal(const Task& task, const scheduling::Filters& filters,
                             const NodeState& node) const {
  if (!fits(task.pod().requests, node.available())) {
    return shortage_text(task.pod().requests, node.idle);
  }
  for (const Predicate& predicate : hooks_.predicates) {
    if (std::string reason = predicate(task, filters, node); !reason.empty()) return reason;
  }
  return {};
}

std::optional<std::size_t> Session::best_node(const Task& task) {
  struct Candidate {
    std::int64_t score;
    std::size_t rank;
    std::size_t index;
  };
  for (const NodePreScore& hook : hooks_.node_pre_scores) hook(task, nodes_);
  std::vector<Candidate> candidates;
  for (const NodeState& node : nodes_) {
    if (!fits(task.pod().requests, node.available())) continue;
    std::int64_t score = 0;
    for (const NodeScore& hook : hooks_.node_scores) score += hook(task, node);
    candidates.push_back({score, node.rank, node.index});
  }
  ++attempted_;
  // Best first, but most tasks are content with the first: a heap instead of a sort.
  const auto worse = [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score < b.score : a.rank > b.rank;
  };
  std::make_heap(candidates.begin(), candidates.end(), worse);
  const scheduling::Filters filters(task.pod(), snapshot_);
  while (!candidates.empty()) {
    const std::size_t index = candidates.front().index;
    if (refusal(task, filters, nodes_[index]).empty()) return index;
    std::pop_heap(candidates.begin(), candidates.end(), worse);
    candidates.pop_back();
  }
  return std::nullopt;
}

}  // namespace troupe::kai
