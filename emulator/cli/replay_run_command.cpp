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
#include "emulator/processes/replay.h"
#include "emulator/processes/replay_steering.h"
#include "messages/units.h"

namespace troupe::cli {
namespace {

struct ReplayArguments {
  std::string run;
  std::optional<std::string> until;
  std::uint32_t processes = 1;
  std::string trace;
  bool step = false;
};

/// What a journal says that a replay needs.
struct Recorded {
  plan::RunPlan plan;
  std::vector<journal::Command> commands;
  std::map<SimTime, Digest> checkpoints;
  std::optional<SimTime> end;  ///< absent: the run died
  Digest digest;               ///< of the whole run, where it did not die
  bool live = false;
};

Result<Recorded> read(const std::filesystem::path& run) {
  Result<JournalContent> content = read_journal(run / "journal");
  if (!content) return tl::unexpected(content.error());
  if (!content->damage.empty()) std::cerr << "note: " << content->damage << ": read up to there\n";
  if (content->records.empty() || !content->records.front().has_header()) {
    return fail("the journal does not begin with a plan", run.string());
  }
  Recorded recorded;
  recorded.live = content->records.front().header().live_processes() > 0;
  recorded.plan = std::move(*content->records.front().mutable_header()->mutable_plan());
  for (journal::Record& record : content->records) {
    if (record.has_command()) recorded.commands.push_back(std::move(*record.mutable_command()));
    if (record.has_end()) {
      recorded.end = from_ns(record.end().time_ns());
      recorded.digest.low = record.end().digest_low();
      recorded.digest.high = record.end().digest_high();
    }
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

// Shows an event; with --step waits for Enter, and ends at q.
bool show(const std::string& line, bool step) {
  std::cout << line << '\n';
  if (!step) return true;
  std::string answer;
  return std::getline(std::cin, answer) && answer != "q";
}

int replay_of_live(const Recorded& recorded, const ReplayArguments& arguments,
                   std::optional<SimTime> until) {
  ReplayOptions options{.processes = arguments.processes, .until = until};
  options.trace = arguments.trace;
  if (arguments.step || !arguments.trace.empty()) {
    options.processes = 1;  // in the order of the stamps
    options.on_event = [&arguments](const std::string& line) { return show(line, arguments.step); };
  }
  const Result<ReplayResult> result =
      replay_live(std::filesystem::path(arguments.run) / "journal", options);
  if (!result) {
    std::cerr << result.error().where << ": " << result.error().message << '\n';
    return kBadInput;
  }
  for (const std::string& damage : result->damage) std::cerr << "note: " << damage << '\n';
  if (result->divergence) {
    const Divergence& what = *result->divergence;
    std::cout << "DIFFERS from the run, first at " << seconds(what.time) << " s: actor "
              << what.actor << (what.message.empty() ? "" : ", message " + what.message) << "\n  "
              << what.field << '\n';
    return kOtherDigest;
  }
  std::cout << "replayed " << result->delivered << " messages of " << result->hosts
            << " hosts, digest " << result->digest.hex() << '\n';
  if (until || arguments.step) return kHeld;
  if (!recorded.end) {
    std::cout << "the run died, so there is no digest to compare with\n";
    return kHeld;
  }
  if (recorded.digest == result->digest) {
    std::cout << "the same as the run's\n";
    return kHeld;
  }
  std::cout << "DIFFERS from the run's, " << recorded.digest.hex() << '\n';
  return kOtherDigest;
}

int replay_of_virtual(const Recorded& recorded, const ReplayArguments& arguments,
                      std::optional<SimTime> until) {
  SimTime end = recorded.end.value_or(from_ns(recorded.plan.duration_ns()));
  if (!recorded.end && !recorded.checkpoints.empty()) end = recorded.checkpoints.rbegin()->first;
  if (until) end = std::min(end, *until);
  std::vector<journal::Command> commands = recorded.commands;
  std::erase_if(commands, [end](const auto& one) { return from_ns(one.at_ns()) > end; });
  const std::size_t acts = commands.size();
  Checkpoints checkpoints;
  ReplaySteering steering(std::move(commands), end, &checkpoints);
  ExecuteOptions options;
  options.steering = &steering;
  options.stop = &stop_on_signals();
  options.processes = arguments.processes;
  options.crew.spawned = arguments.processes;
  options.progress = progress_to({std::max(end, kTimeZero + Duration(1))}, "replay").front();
  const Result<ExecuteResult> result = execute(recorded.plan, options);
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
  const std::optional<SimTime> difference = first_difference(recorded, checkpoints, end);
  if (difference) {
    std::cout << "DIFFERS from the run, at " << seconds(*difference)
              << " s or in the second before\n";
    return kOtherDigest;
  }
  std::cout << "the same as the run's at each checkpoint\n";
  return kHeld;
}

int replay(const ReplayArguments& arguments) {
  std::optional<SimTime> until;
  if (arguments.until) {
    const Result<Duration> length = parse_duration(*arguments.until);
    if (!length) {
      std::cerr << "--until: " << length.error().message << '\n';
      return kBadInput;
    }
    until = kTimeZero + *length;
  }
  const Result<Recorded> recorded = read(arguments.run);
  if (!recorded) {
    std::cerr << recorded.error().where << ": " << recorded.error().message << '\n';
    return kBadInput;
  }
  if (recorded->live) return replay_of_live(*recorded, arguments, until);
  if (arguments.step || !arguments.trace.empty()) {
    std::cerr << arguments.run
              << ": --step and --trace are for live runs, found one in virtual "
                 "time\n";
    return kBadInput;
  }
  return replay_of_virtual(*recorded, arguments, until);
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ReplayArguments>();
  CLI::App* command = app.add_subcommand(
      "replay", "run a run again from its journal, with what was done to it by hand, and compare");
  command->add_option("RUN_DIR", arguments->run, "the run folder")->required();
  command->add_option("--until", arguments->until, "only as far as that virtual time");
  command
      ->add_option("--processes", arguments->processes,
                   "spread the hosts over so many processes; the digest stays the same")
      ->check(CLI::Range(1, 256));
  command->add_option("--trace", arguments->trace,
                      "of a live run: print every event of the actors whose path begins so");
  command->add_flag("--step", arguments->step,
                    "of a live run: wait for Enter after each event that is printed");
  command->footer("Exit codes: 0 the same digests, 2 no such run, 3 a defect, 5 another digest.");
  command->callback([arguments, &exit_code] { exit_code = replay(*arguments); });
}

}  // namespace troupe::cli
