// `troupe replay RUN_DIR`: a run again, from its journal.
#include <filesystem>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"
#include "emulator/journal/journal_file.h"
#include "emulator/processes/execute.h"
#include "emulator/processes/replay.h"
#include "messages/units.h"

namespace troupe::cli {
namespace {

struct ReplayArguments {
  std::string directory;
  std::uint32_t processes = 1;
  std::string until;
  std::string trace;
  bool step = false;
};

// What the journal says of its run: its first and its last record.
struct Journaled {
  journal::Header header;
  std::optional<journal::End> end;
};

Result<Journaled> read_ends(const std::filesystem::path& journal) {
  const Result<JournalContent> content = read_journal(journal);
  if (!content) return tl::unexpected(content.error());
  if (content->records.empty() || !content->records.front().has_header()) {
    return fail("the journal does not begin with a header", journal.string());
  }
  Journaled journaled{content->records.front().header(), std::nullopt};
  if (content->records.back().has_end()) journaled.end = content->records.back().end();
  return journaled;
}

int conclude(const Journaled& journaled, const std::string& digest, std::uint64_t delivered,
             bool to_the_end) {
  std::cout << delivered << " messages, digest " << digest << '\n';
  if (!to_the_end) return kHeld;
  if (!journaled.end) {
    std::cout << "the run did not end, so there is no digest to compare with\n";
    return kHeld;
  }
  const std::string written =
      Digest{journaled.end->digest_low(), journaled.end->digest_high()}.hex();
  if (written == digest) {
    std::cout << "the run's own\n";
    return kHeld;
  }
  std::cout << "the run had " << written << '\n';
  return kNotReproduced;
}

int replay_virtual(const Journaled& journaled, const ReplayArguments& arguments) {
  ExecuteOptions options;
  options.processes = arguments.processes;
  options.crew.spawned = arguments.processes;
  plan::RunPlan plan = journaled.header.plan();
  const bool to_the_end = arguments.until.empty();
  if (!to_the_end) {
    plan.set_duration_ns(std::min(plan.duration_ns(), parse_duration(arguments.until)->count()));
  }
  const Result<ExecuteResult> result = execute(plan, options);
  if (!result) {
    std::cerr << "troupe: " << result.error().message << '\n';
    return kDefect;
  }
  return conclude(journaled, result->summary["digest"],
                  result->summary["messages_delivered"].get<std::uint64_t>(), to_the_end);
}

// Shows an event; with --step waits for Enter, and ends at q.
bool show(const std::string& line, bool step) {
  std::cout << line << '\n';
  if (!step) return true;
  std::string answer;
  return std::getline(std::cin, answer) && answer != "q";
}

int replay_of_live(const Journaled& journaled, const std::filesystem::path& journal,
                   const ReplayArguments& arguments) {
  ReplayOptions options{.processes = arguments.processes};
  if (!arguments.until.empty()) options.until = kTimeZero + *parse_duration(arguments.until);
  options.trace = arguments.trace;
  if (arguments.step || !arguments.trace.empty()) {
    options.processes = 1;  // in the order of the stamps
    options.on_event = [&arguments](const std::string& line) { return show(line, arguments.step); };
  }
  const Result<ReplayResult> result = replay_live(journal, options);
  if (!result) {
    std::cerr << result.error().where << ": error: " << result.error().message << '\n';
    return kBadInput;
  }
  for (const std::string& damage : result->damage) std::cerr << damage << '\n';
  if (result->divergence) {
    const Divergence& what = *result->divergence;
    std::cout << "the replay diverges at " << static_cast<double>(to_ns(what.time)) / 1e9
              << " s: actor " << what.actor
              << (what.message.empty() ? "" : ", message " + what.message) << "\n  " << what.field
              << '\n';
    return kNotReproduced;
  }
  std::cout << result->hosts << " hosts, ";
  return conclude(journaled, result->digest.hex(), result->delivered,
                  arguments.until.empty() && !arguments.step);
}

int replay(const ReplayArguments& arguments) {
  const std::filesystem::path journal = std::filesystem::path(arguments.directory) / "journal";
  const Result<Journaled> journaled = read_ends(journal);
  if (!journaled) {
    std::cerr << journaled.error().where << ": error: " << journaled.error().message << '\n';
    return kBadInput;
  }
  if (journaled->header.live_processes() > 0) {
    return replay_of_live(*journaled, journal, arguments);
  }
  if (arguments.step || !arguments.trace.empty()) {
    std::cerr << arguments.directory
              << ": error: --step and --trace are for live runs, found one in virtual time\n";
    return kBadInput;
  }
  return replay_virtual(*journaled, arguments);
}

std::string check_duration(const std::string& text) {
  const Result<Duration> duration = parse_duration(text);
  return duration ? std::string() : duration.error().message;
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ReplayArguments>();
  CLI::App* command = app.add_subcommand(
      "replay", "run a run again from its journal, and compare what it does with what was written");
  command->add_option("RUN_DIR", arguments->directory, "the folder of the run")->required();
  command
      ->add_option("--processes", arguments->processes,
                   "spread the hosts over so many processes; the digest stays the same")
      ->check(CLI::Range(1, 256));
  command->add_option("--until", arguments->until, "no further than this virtual time: 90s, 5m")
      ->check(check_duration);
  command->add_option("--trace", arguments->trace,
                      "print every event of the actors whose path begins so");
  command->add_flag("--step", arguments->step, "wait for Enter after each event that is printed");
  command->callback([arguments, &exit_code] { exit_code = replay(*arguments); });
}

}  // namespace troupe::cli
