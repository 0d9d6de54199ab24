#include "emulator/processes/execute.h"

#include <chrono>

#include "emulator/checks/expectations.h"
#include "emulator/checks/invariants.h"
#include "emulator/journal/run_journal.h"
#include "emulator/processes/host_kinds.h"
#include "emulator/processes/load_plan.h"
#include "emulator/processes/many_processes.h"
#include "emulator/runtime/lookahead.h"
#include "messages/facts.pb.h"

namespace troupe {
namespace {

class Progress final : public Observer {
 public:
  explicit Progress(std::function<void(SimTime)> report) : report_(std::move(report)) {}
  void on_fact(const FactRecord&) override {}
  void on_checkpoint(SimTime time, const Digest&) override {
    if (report_) report_(time);
  }

 private:
  std::function<void(SimTime)> report_;
};

// What the API server refused of the scenario's own objects: the run is not the one that was asked
// for.
class Refusals final : public Observer {
 public:
  void on_fact(const FactRecord& record) override {
    const auto* refused = record.fact.as<facts::StepRefused>();
    if (refused == nullptr) return;
    ++count_;
    if (first_.empty()) {
      first_ =
          refused->object() + ": " + std::to_string(refused->code()) + " " + refused->message();
    }
  }
  [[nodiscard]] std::optional<ExpectationOutcome> outcome() const {
    if (count_ == 0) return std::nullopt;
    return ExpectationOutcome{"objects accepted by the API server", false,
                              std::to_string(count_) + " refused, first " + first_, "none refused"};
  }

 private:
  std::uint64_t count_ = 0;
  std::string first_;
};

bool all_held(const Summary& summary) {
  for (const ExpectationOutcome& outcome : summary.expectations) {
    if (!outcome.pass) return false;
  }
  for (const auto& [name, outcome] : summary.invariants) {
    if (outcome.violations == 0) continue;
    bool wanted = false;
    for (const auto& spec : summary.plan.expectations()) wanted = wanted || spec.violates() == name;
    if (!wanted) return false;
  }
  return true;
}

// The observers of a run, in the order in which they look.
struct Watchers {
  explicit Watchers(const plan::RunPlan& plan, const ExecuteOptions& options)
      : accounts(plan), expectations(plan), progress(options.progress) {}

  void attach(Timeline& timeline) {
    for (Observer* observer : std::initializer_list<Observer*>{
             &accounts, &invariants, &expectations, &refusals, &progress}) {
      timeline.add_observer(*observer);
    }
  }

  Accounts accounts;
  checks::Invariants invariants;
  checks::Expectations expectations;
  Refusals refusals;
  Progress progress;
};

ExecuteResult conclude(const plan::RunPlan& plan, Watchers& watchers, const RunFacts& facts,
                       std::optional<Defect> defect) {
  // An interrupted run is accounted for as far as it came.
  const SimTime end = facts.interrupted ? facts.end : from_ns(plan.duration_ns());
  watchers.accounts.finish(end);
  Summary summary;
  summary.plan = plan;
  summary.plan.clear_hosts();
  summary.run = facts;
  summary.invariants = watchers.invariants.outcomes();
  const nlohmann::json numbers = summary.to_json(watchers.accounts);
  summary.expectations = watchers.expectations.outcomes(end, numbers, summary.invariants);
  if (auto refused = watchers.refusals.outcome())
    summary.expectations.push_back(*std::move(refused));
  ExecuteResult result;
  result.summary = summary.to_json(watchers.accounts);
  result.held = !defect && !facts.interrupted && all_held(summary);
  result.defect = std::move(defect);
  return result;
}

// Who runs the plan: this process, or several.
struct Engine {
  HostRegistry registry = all_host_kinds();
  std::unique_ptr<VirtualRuntime> alone;
  std::unique_ptr<ManyProcesses> many;

  [[nodiscard]] Timeline& timeline() const {
    if (alone) return *alone;
    return *many;
  }
};

// The window length that was asked for, at most the lookahead that the plan allows.
std::optional<Duration> window_of(const plan::RunPlan& plan, const ExecuteOptions& options) {
  const Placement placement(plan.placement(), options.processes);
  std::optional<Duration> window =
      lookahead(plan, placement, LatencyModel(plan.seed(), latencies_of(plan)));
  if (window) *window = std::max(Duration(1), *window / options.window_divisor);
  return window;
}

Result<void> begin(Engine& engine, const plan::RunPlan& plan, const ExecuteOptions& options,
                   RunFacts& facts) {
  facts.processes = options.processes;
  if (options.processes == 1) {
    engine.alone = std::make_unique<VirtualRuntime>(
        RuntimeOptions{.seed = plan.seed(), .latencies = latencies_of(plan), .stop = options.stop},
        engine.registry);
    load_plan(plan, *engine.alone);
    return {};
  }
  const std::optional<Duration> window = window_of(plan, options);
  if (window) facts.lookahead_ns = window->count();
  CrewOptions crew_options = options.crew;
  crew_options.processes = options.processes;
  crew_options.lookahead = window.value_or(Duration::zero());
  crew_options.stop = options.stop;
  Result<std::unique_ptr<Crew>> crew = Crew::assemble(plan, crew_options);
  if (!crew) return tl::unexpected(crew.error());
  engine.many = std::make_unique<ManyProcesses>(*std::move(crew), window, options.stop);
  return {};
}

void note_processes(ManyProcesses& many, RunFacts& facts) {
  facts.windows = many.windows();
  const transport::Refused refused = many.refused();
  for (std::size_t i = 0; i < refused.frames.size(); ++i) {
    const auto why = static_cast<transport::Refusal>(i);
    facts.refused_frames[std::string(transport::name_of(why))] = refused.frames[i];
  }
  facts.refused_peers = refused.peers;
}

}  // namespace

Result<ExecuteResult> execute(const plan::RunPlan& plan, const ExecuteOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  std::optional<JournalWriter> writer;
  std::optional<RunJournal> journal;
  Watchers watchers(plan, options);
  RunFacts facts;
  Engine engine;
  if (const Result<void> begun = begin(engine, plan, options, facts); !begun) {
    return tl::unexpected(begun.error());
  }
  Timeline& timeline = engine.timeline();
  watchers.attach(timeline);
  if (options.journal) {
    Result<JournalWriter> created = JournalWriter::create(*options.journal);
    if (!created) return tl::unexpected(created.error());
    writer.emplace(*std::move(created));
    journal.emplace(*writer, plan);
    timeline.add_observer(*journal);
  }
  std::optional<RunLog> log;
  if (options.log) {
    Result<RunLog> created = RunLog::create(*options.log, options.log_level);
    if (!created) return tl::unexpected(created.error());
    log.emplace(*std::move(created));
    log->begin(plan);
    timeline.add_observer(*log);
  }
  std::optional<Defect> defect = timeline.run_until(from_ns(plan.duration_ns()));

  facts.digest = timeline.digest().hex();
  facts.messages_delivered = timeline.delivered();
  facts.end = timeline.now();
  facts.interrupted = options.stop != nullptr && options.stop->load();
  if (engine.many) note_processes(*engine.many, facts);
  facts.defects = defect ? 1 : 0;
  std::vector<Error> unwritten;
  const auto note = [&unwritten](const Result<void>& written) {
    if (!written) unwritten.push_back(written.error());
  };
  if (log) note(log->end(facts, defect));
  if (journal) {
    journal->end(timeline.now(), timeline.delivered(), defect);
    note(writer->close());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  facts.wall_seconds = took.count();
  ExecuteResult result = conclude(plan, watchers, facts, std::move(defect));
  result.unwritten = std::move(unwritten);
  return result;
}

}  // namespace troupe
