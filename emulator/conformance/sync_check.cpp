#include "emulator/conformance/sync_check.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "actors/kai/actions/registry.h"
#include "emulator/config/values.h"
#include "emulator/conformance/kai_given.h"
#include "emulator/conformance/kai_queue.h"
#include "emulator/manifests/spelling.h"
#include "messages/quantity.h"

namespace troupe::conformance {
namespace {

using config::Given;

// A case is read by people; whatever is larger is a slip.
constexpr std::uint64_t kAlikeMax = 10'000;
constexpr std::int64_t kCpuMax = 1'000'000;
constexpr std::int64_t kMemoryMax = 100'000'000'000'000;
constexpr std::uint64_t kRoundsMax = 100;
constexpr std::uint64_t kWorkMax = 20'000'000;  // tasks, times nodes, times rounds

std::string item(const std::string& list, int index) {
  return list + "[" + std::to_string(index) + "]";
}

class Check {
 public:
  Check(const config::ConformanceCase& spec, config::Problems& problems)
      : spec_(spec), given_(spec.given()), problems_(problems) {}

  void run() {
    check_nodes();
    check_queues();
    for (int i = 0; i < given_.jobs_size(); ++i) {
      check_job(given_.jobs(i), item("given.jobs", i));
    }
    check_mode();
    if (spec_.expect().empty()) problems_.add("expect", "expected something to expect");
    for (int i = 0; i < spec_.expect_size() && !too_large_; ++i) {
      check_expectation(spec_.expect(i), item("expect", i));
    }
  }

 private:
  // ---- given ----
  void check_nodes() {
    for (int i = 0; i < given_.nodes_size(); ++i) {
      const Given::Node& node = given_.nodes(i);
      const std::string path = item("given.nodes", i);
      check_amounts(path, node.cpu(), node.memory());
      check_gpus(path + ".gpus", node.gpus(), problems_);
      if (node.count() + nodes_.size() > kAlikeMax) {
        return problems_.add(path, "expected at most 10,000 nodes");
      }
      for (const std::string& name : names_of(node)) {
        if (nodes_.insert(name).second) continue;
        problems_.add(path + ".name", "a node '" + name + "' is there already");
        break;
      }
    }
  }

  void check_queues() {
    std::set<std::string> names;
    const auto take = [&](const auto& queue, const std::string& path) {
      if (!names.insert(queue.name()).second) {
        problems_.add(path + ".name", "a queue '" + queue.name() + "' is there already");
      }
      check_gpus(path + ".quota", queue.quota(), problems_);
      check_gpus(path + ".limit", queue.limit(), problems_);
      check_gpus(path + ".weight", queue.weight(), problems_);
    };
    for (int i = 0; i < given_.departments_size(); ++i) {
      take(given_.departments(i), item("given.departments", i));
    }
    for (int i = 0; i < given_.queues_size(); ++i) {
      const Given::Queue& queue = given_.queues(i);
      const std::string path = item("given.queues", i);
      if (queue.parent().empty() && given_.departments_size() > 0) {
        problems_.add(path + ".parent", "is required where departments are listed");
      }
      if (!queue.parent().empty() && !names.contains(queue.parent())) {
        problems_.add(path + ".parent", "expected a department, or one of the queues above");
      }
      take(queue, path);
    }
    if (given_.departments().empty() && names.contains(kDefaultDepartment)) {
      problems_.add("given.queues", "the name 'default' is that of the queue above all others");
    }
  }

  void check_job(const Given::Job& job, const std::string& path) {
    if (find_job(job.name()) != &job) {
      problems_.add(path + ".name", "a job '" + job.name() + "' is there already");
    }
    if (!job.class_().empty() && job.has_priority()) {
      problems_.add(path + ".priority", "expected only one of `class` and `priority`");
    }
    if (job.has_count() && !job.tasks().empty()) {
      problems_.add(path + ".count", "expected only one of `count` and `tasks`");
    }
    check_amounts(path, job.cpu(), job.memory());
    check_length(path + ".staleFor", job.stale_for());
    if (job.min() > kAlikeMax) problems_.add(path + ".min", "expected at most 10,000");
    check_gpus(path + ".gpus", job.gpus(), problems_);
    check_sub_groups(job, path);
    std::uint64_t tasks = job.tasks().empty() ? std::max(1U, job.count()) : 0;
    for (int i = 0; i < job.tasks_size(); ++i) {
      check_task(job, job.tasks(i), item(path + ".tasks", i));
      tasks += std::max(1U, job.tasks(i).count());
    }
    if (tasks > kAlikeMax) {
      problems_.add(path, "expected at most 10,000 tasks");
      too_large_ = true;
    }
    tasks_ += tasks;
  }

  void check_sub_groups(const Given::Job& job, const std::string& path) {
    if (job.has_min() && !job.sub_groups().empty()) {
      problems_.add(path + ".min", "the minimum of a job with subGroups is theirs");
    }
    std::set<std::string> names;
    for (int i = 0; i < job.sub_groups_size(); ++i) {
      const Given::SubGroup& group = job.sub_groups(i);
      const std::string at = item(path + ".subGroups", i);
      if (!group.parent().empty() && !names.contains(group.parent())) {
        problems_.add(at + ".parent", "expected one of the sub-groups above");
      }
      if (!names.insert(group.name()).second) {
        problems_.add(at + ".name", "a sub-group '" + group.name() + "' is there already");
      }
      if (group.min() > kAlikeMax) problems_.add(at + ".min", "expected at most 10,000");
      if (group.has_min() && !has_leaf(job, group.name())) {
        problems_.add(at + ".min", "the minimum of a parent is that of its children");
      }
    }
  }

  void check_task(const Given::Job& job, const Given::Task& task, const std::string& path) {
    if (has_place(task.state()) != !task.node().empty()) {
      problems_.add(path, task.node().empty()
                              ? "a task that is " + task.state() + " needs a `node`"
                              : "a task that has a node is Binding, Bound, Running or Releasing");
    } else if (!task.node().empty()) {
      check_node(path + ".node", task.node());
    }
    check_gpus(path + ".gpus", task.gpus(), problems_);
    const bool grouped = !job.sub_groups().empty();
    if (grouped ? !has_leaf(job, task.sub_group()) : !task.sub_group().empty()) {
      problems_.add(path + ".subGroup",
                    "expected the name of one of the job's subGroups that is no parent");
    }
  }

  static bool has_leaf(const Given::Job& job, const std::string& name) {
    const auto& groups = job.sub_groups();
    const auto is = [&name](const auto& group) { return group.name() == name; };
    const auto below = [&name](const auto& group) { return group.parent() == name; };
    return std::any_of(groups.begin(), groups.end(), is) &&
           std::none_of(groups.begin(), groups.end(), below);
  }

  // ---- how it is run ----
  void check_mode() {
    const config::Sync& sync = spec_.mode().sync();
    std::vector<std::string> actions;
    for (const auto& action : kai::make_actions()) actions.emplace_back(action->name());
    for (int i = 0; i < sync.actions_size(); ++i) {
      check_name(item("mode.sync.actions", i), sync.actions(i), actions, "no such action");
    }
    const std::uint64_t rounds = std::uint64_t{std::max(1U, sync.rounds())} + sync.stable_rounds();
    check_length("mode.sync.defaultStalenessGracePeriod", sync.default_staleness_grace_period());
    if (rounds > kRoundsMax) problems_.add("mode.sync", "expected at most 100 rounds in all");
    if (sync.states() == "session" && sync.stable_rounds() > 0) {
      problems_.add("mode.sync.states", "the states inside one session say nothing of the next");
    }
    if (std::min(tasks_, kWorkMax) * nodes_.size() > kWorkMax / std::min(rounds, kRoundsMax)) {
      problems_.add("given",
                    "expected fewer tasks, nodes or rounds: their product is at most 20,000,000");
    }
  }

  // ---- what is expected ----
  void check_expectation(const config::JobExpectation& what, const std::string& path) {
    const bool of_tasks = !what.state().empty() || !what.node().empty();
    if (!of_tasks && what.reason().empty() && what.message().empty()) {
      problems_.add(path, "expected at least one of `state`, `node`, `reason`, `message`");
    }
    if (what.has_count() && !of_tasks) {
      problems_.add(path + ".count", "expected a `state` or a `node` to count");
    }
    if (what.has_task() && !what.sub_group().empty()) {
      problems_.add(path + ".task", "expected only one of `task` and `subGroup`");
    }
    if (!what.node().empty()) check_node(path + ".node", what.node());
    std::vector<std::string> jobs;
    for (const Given::Job& job : given_.jobs()) jobs.push_back(job.name());
    check_name(path + ".job", what.job(), jobs, "no such job is given");
    const Given::Job* job = find_job(what.job());
    if (job == nullptr) return;
    const std::vector<Given::Task> tasks = tasks_of(*job);
    const auto grouped = [&what](const auto& task) { return task.sub_group() == what.sub_group(); };
    if (!what.sub_group().empty() && std::none_of(tasks.begin(), tasks.end(), grouped)) {
      problems_.add(path + ".subGroup", "the job has no task in a sub-group of that name");
    }
    if (what.has_task() && what.task() >= tasks.size()) {
      problems_.add(path + ".task", "the job has " + std::to_string(tasks.size()) +
                                        " tasks, and the first is task 0");
    }
  }

  // ---- both ----
  [[nodiscard]] const Given::Job* find_job(const std::string& name) const {
    const auto& jobs = given_.jobs();
    const auto at = std::find_if(jobs.begin(), jobs.end(),
                                 [&name](const auto& job) { return job.name() == name; });
    return at != jobs.end() ? &*at : nullptr;
  }

  void check_node(const std::string& path, const std::string& name) {
    check_name(path, name, {nodes_.begin(), nodes_.end()}, "no such node is given");
  }

  void check_name(const std::string& path, const std::string& name,
                  const std::vector<std::string>& known, const std::string& complaint) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    const std::string meant = manifests::nearest(name, known);
    problems_.add(path, "found '" + name + "': " + complaint +
                            (meant.empty() ? "" : ", did you mean \"" + meant + "\"?"));
  }

  void check_amounts(const std::string& path, const std::string& cpu, const std::string& memory) {
    const auto check = [this](const std::string& at, const std::string& text, std::int64_t most) {
      const std::int64_t amount = config::whole_quantity_or(text, 0);
      if (amount < 0 || amount > most) {
        problems_.add(at, "expected 0 to " + Quantity::whole(most).to_string());
      }
    };
    check(path + ".cpu", cpu, kCpuMax);
    check(path + ".memory", memory, kMemoryMax);
  }

  void check_length(const std::string& path, const std::string& length) {
    if (config::duration_or(length, {}) > kGivenTime - kTimeZero) {
      problems_.add(path, "expected at most 365d");
    }
  }

  const config::ConformanceCase& spec_;
  const Given& given_;
  config::Problems& problems_;
  std::set<std::string> nodes_;
  std::uint64_t tasks_ = 0;
  bool too_large_ = false;  // to be written out task by task
};

}  // namespace

void check_sync_case(const config::ConformanceCase& spec, config::Problems& problems) {
  Check(spec, problems).run();
}

}  // namespace troupe::conformance
