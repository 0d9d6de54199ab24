// `troupe replay RUN_DIR`: a run again from its journal, with what was done to it by hand.
#include <iostream>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>

#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"
#include "emulator/cli/print_summary.h"
#include "emulator/cli/progress.h"
#include "emulator/journal/journal_file.h"
#include "emulator/processes/end_signal.h"
#include "emulator/processes/execute.h"
#include "emulator/processes/replay_steering.h"
#include "messages/units.h"

namespace troupe::cli {
namespace {

struct ReplayArguments {
  std::string run;
  std::optional<std::string> until;
};

/// What a journal says that a replay needs.
struct Recorded {
  plan::RunPlan plan;
  std::vector<journal::Command> commands;
  std::map<SimTime, Digest> checkpoints;
  std::optional<SimTime> end;  ///< absent: the run died
};

Result<Recorded> read(const std::filesystem::path& run) {
  Result<JournalContent> content = read_journal(run / "journal");
  if (!content) return tl::unexpected(content.error());
  if (!content->damage.empty()) std::cerr << "note: " << content->damage << ": read up to there\n";
  if (content->records.empty() || !content->records.front().has_header()) {
    return fail("the journal does not begin with a plan", run.string());
  }
  Recorded recorded;
  recorded.plan = std::move(*content->records.front().mutable_header()->mutable_plan());
  for (journal::Record& record : content->records) {
    if (record.has_command()) recorded.commands.push_back(std::move(*record.mutable_command()));
    if (record.has_end()) recorded.end = from_ns(record.end().time_ns());
    if (!record.has_checkpoint()) continue;
    const journal::Checkpoint& checkpoint = record.checkpoint();
    Digest digest;
    digest.low = checkpoint.digest_low();
    digest.high = checkpoint.digest_high();
    recorded.checkpoints[from_ns(checkpoint.time_ns())] = digest;
  }
  return recorded;
}

class Checkpoints final : public Observer {
 public:
  void on_fact(const FactRecord&) override {}
  void on_checkpoint(SimTime time, const Digest& digest) override { digests_[time] = digest; }
  [[nodiscard]] const std::map<SimTime, Digest>& digests() const { return digests_; }

 private:
  std::map<SimTime, Digest> digests_;
};

double seconds(SimTime time) {
  return static_cast<double>(to_ns(time)) / 1e9;
}

// The first moment at which the two runs are known to differ.
std::optional<SimTime> first_difference(const Recorded& recorded, const Checkpoints& again,
                                        SimTime end) {
  for (const auto& [time, digest] : recorded.checkpoints) {
    const bool whole = recorded.end && end == *recorded.end;
    if (time > end || (time == end && !whole)) break;
    const auto found = again.digests().find(time);
    if (found == again.digests().end() || found->second.hex() != digest.hex()) return time;
  }
  return std::nullopt;
}

int replay(const ReplayArguments& arguments) {
  const Result<Recorded> recorded = read(arguments.run);
  if (!recorded) {
    std::cerr << recorded.error().where << ": " << recorded.error().message << '\n';
    return kBadInput;
  }
  SimTime end = recorded->end.value_or(from_ns(recorded->plan.duration_ns()));
  if (!recorded->end && !recorded->checkpoints.empty()) end = recorded->checkpoints.rbegin()->first;
  if (arguments.until) {
    const Result<Duration> until = parse_duration(*arguments.until);
    if (!until) {
      std::cerr << "--until: " << until.error().message << '\n';
      return kBadInput;
    }
    end = std::min(end, kTimeZero + *until);
  }
  std::vector<journal::Command> commands = recorded->commands;
  std::erase_if(commands, [end](const auto& one) { return from_ns(one.at_ns()) > end; });
  const std::size_t acts = commands.size();
  Checkpoints checkpoints;
  ReplaySteering steering(std::move(commands), end, &checkpoints);
  ExecuteOptions options;
  options.steering = &steering;
  options.stop = &stop_on_signals();
  options.progress = progress_to({std::max(end, kTimeZero + Duration(1))}, "replay").front();
  const Result<ExecuteResult> result = execute(recorded->plan, options);
  if (!result) {
    std::cerr << result.error().message << '\n';
    return kDefect;
  }
  if (result->defect) {
    print_defect(std::cerr, *result->defect, "troupe replay " + arguments.run);
    return kDefect;
  }
  if (options.stop->load()) return kInterrupted;
  std::cout << "replayed to " << seconds(end) << " s with " << acts << " commands, digest "
            << result->summary["digest"].get<std::string>() << '\n';
  const std::optional<SimTime> difference = first_difference(*recorded, checkpoints, end);
  if (difference) {
    std::cout << "DIFFERS from the run, at " << seconds(*difference)
              << " s or in the second before\n";
    return kOtherDigest;
  }
  std::cout << "the same as the run's at each checkpoint\n";
  return kHeld;
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ReplayArguments>();
  CLI::App* command = app.add_subcommand(
      "replay", "do a run again from its journal, with what was done to it by hand");
  command->add_option("RUN_DIR", arguments->run, "the run folder")->required();
  command->add_option("--until", arguments->until, "only as far as that virtual time");
  command->footer("Exit codes: 0 the same digests, 2 no such run, 3 a defect, 5 another digest.");
  command->callback([arguments, &exit_code] { exit_code = replay(*arguments); });
}

}  // namespace troupe::cli
