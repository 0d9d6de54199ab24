#include "emulator/conformance/sync_case.h"

#include <algorithm>
#include <string>
#include <utility>

#include "emulator/conformance/kai_rounds.h"
#include "emulator/conformance/task_states.h"

namespace troupe::conformance {
namespace {

std::string text_of(const std::string& state, const std::string& node) {
  if (node.empty()) return state;
  return (state.empty() ? "" : state + " ") + "on " + node;
}
std::string text_of(const TaskView& task) {
  return text_of(name_of(task.status), task.node);
}

class Judge {
 public:
  explicit Judge(const config::ConformanceCase& spec) : spec_(spec) {}

  void limit(std::uint32_t round, const Calls& calls) {
    const config::CallLimits& max = spec_.max();
    const std::string at = "round " + std::to_string(round) + ": ";
    if (max.has_binds()) limit(at + "binds", calls.binds, max.binds());
    if (max.has_evicts()) limit(at + "evicts", calls.evicts, max.evicts());
    if (max.has_pipelines()) limit(at + "pipelines", calls.pipelines, max.pipelines());
  }

  void same(std::uint32_t round, const JobViews& before, const JobViews& now) {
    for (std::size_t j = 0; j < now.size(); ++j) {
      for (std::size_t i = 0; i < now[j].tasks.size(); ++i) {
        const TaskView& was = before[j].tasks[i];
        const TaskView& is = now[j].tasks[i];
        if (was.status == is.status && was.node == is.node) continue;
        add("round " + std::to_string(round) + ": task " + std::to_string(i) + " of " +
                now[j].name + ", at rest",
            text_of(is), text_of(was));
      }
    }
  }

  void expect(const JobViews& jobs) {
    for (int i = 0; i < spec_.expect_size(); ++i) {
      const config::JobExpectation& what = spec_.expect(i);
      const auto job = std::find_if(jobs.begin(), jobs.end(), [&what](const JobView& view) {
        return view.name == what.job();
      });
      const std::string at = "expect[" + std::to_string(i) + "]: ";
      if (!what.state().empty() || !what.node().empty()) expect_tasks(at, what, *job);
      expect_reason(at, what, *job);
    }
  }

  [[nodiscard]] Differences take() { return std::move(found_); }

 private:
  void add(std::string what, std::string observed, std::string expected) {
    found_.push_back({std::move(what), std::move(observed), std::move(expected)});
  }

  void limit(const std::string& what, std::size_t observed, std::size_t most) {
    if (observed > most) add(what, std::to_string(observed), "at most " + std::to_string(most));
  }

  void expect_tasks(const std::string& at, const config::JobExpectation& what, const JobView& job) {
    const std::string text = text_of(what.state(), what.node());
    std::uint32_t matches = 0;
    for (std::size_t i = 0; i < job.tasks.size(); ++i) {
      const TaskView& task = job.tasks[i];
      if (what.has_task() && what.task() != i) continue;
      if (!what.sub_group().empty() && what.sub_group() != task.sub_group) continue;
      const bool match = (what.state().empty() || what.state() == name_of(task.status)) &&
                         (what.node().empty() || what.node() == task.node);
      matches += match ? 1 : 0;
      if (match || what.has_count()) continue;
      add(at + "task " + std::to_string(i) + " of " + job.name, text_of(task), text);
    }
    if (!what.has_count() || matches == what.count()) return;
    add(at + "tasks of " + job.name + " that are " + text, std::to_string(matches),
        std::to_string(what.count()));
  }

  void expect_reason(const std::string& at, const config::JobExpectation& what,
                     const JobView& job) {
    const auto& reasons = job.reasons;
    const std::string reason = reasons.empty() ? "none" : reasons.front().reason;
    if (!what.reason().empty() && what.reason() != reason) {
      add(at + "reason of " + job.name, reason, what.reason());
    }
    std::string message;
    for (const kai::JobFitError& error : reasons) message += error.message + "\n";
    for (const std::string& error : job.task_errors) message += error + "\n";
    if (message.find(what.message()) == std::string::npos) {
      add(at + "message of " + job.name, "\"" + message + "\"",
          "the words \"" + what.message() + "\"");
    }
  }

  const config::ConformanceCase& spec_;
  Differences found_;
};

}  // namespace

Differences run_sync_case(const config::ConformanceCase& spec) {
  const config::Sync& sync = spec.mode().sync();
  KaiRounds rounds(spec);
  Judge judge(spec);
  const std::uint32_t first = std::max(1U, sync.rounds());
  for (std::uint32_t round = 1; round <= first; ++round) {
    rounds.run();
    judge.limit(round, rounds.calls());
    if (round == first && sync.states() == "session") judge.expect(rounds.in_session());
    rounds.settle();
  }
  if (sync.states() != "session") judge.expect(rounds.in_cluster());
  for (std::uint32_t round = first + 1; round <= first + sync.stable_rounds(); ++round) {
    const JobViews before = rounds.in_cluster();
    rounds.run();
    judge.limit(round, rounds.calls());
    judge.same(round, before, rounds.in_session());
    rounds.settle();
  }
  return judge.take();
}

}  // namespace troupe::conformance
