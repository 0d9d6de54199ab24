#include "emulator/processes/execute.h"

#include <chrono>

#include "emulator/checks/expectations.h"
#include "emulator/checks/invariants.h"
#include "emulator/journal/run_journal.h"
#include "emulator/processes/apply_command.h"
#include "emulator/processes/host_kinds.h"
#include "emulator/processes/live_run.h"
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

// Who runs the plan: this process, or several, or several against the clock.
struct Engine {
  HostRegistry registry = all_host_kinds();
  std::unique_ptr<VirtualRuntime> alone;
  std::unique_ptr<ManyProcesses> many;
  std::unique_ptr<LiveRun> live;

  [[nodiscard]] Timeline& timeline() const {
    if (alone) return *alone;
    if (many) return *many;
    return *live;
  }
};

// The window length that was asked for, at most the lookahead that the plan allows.
std::optional<Duration> window_of(const plan::RunPlan& plan, const ExecuteOptions& options) {
  const Placement placement(plan.placement(), options.processes);
  const LatencyModel latencies(plan.seed(), latencies_of(plan));
  std::optional<Duration> window = lookahead(plan, placement, latencies);
  if (options.steering != nullptr && options.processes > 1) {
    window = std::min(window.value_or(Duration::max()), word_of_director(latencies));
  }
  if (window) *window = std::max(Duration(1), *window / options.window_divisor);
  return window;
}

Result<void> begin(Engine& engine, const plan::RunPlan& plan, const ExecuteOptions& options,
                   RunFacts& facts) {
  facts.processes = options.processes;
  if (plan.process_faults_size() > 0 && !options.live) {
    return fail("has faults of processes: it was made for a live run", plan.scenario());
  }
  if (options.processes == 1 && !options.live) {
    engine.alone = std::make_unique<VirtualRuntime>(RuntimeOptions{.seed = plan.seed(),
                                                                   .latencies = latencies_of(plan),
                                                                   .faults = faults_of(plan),
                                                                   .stop = options.stop},
                                                    engine.registry);
    load_plan(plan, *engine.alone);
    return {};
  }
  CrewOptions crew_options = options.crew;
  crew_options.processes = options.processes;
  crew_options.stop = options.stop;
  std::optional<Duration> window;
  if (options.live) {
    crew_options.live_directory =
        std::filesystem::absolute(options.journal.value()).parent_path().string();
  } else {
    window = window_of(plan, options);
    if (window) facts.lookahead_ns = window->count();
    crew_options.lookahead = window.value_or(Duration::zero());
  }
  Result<std::unique_ptr<Crew>> crew = Crew::assemble(plan, crew_options);
  if (!crew) return tl::unexpected(crew.error());
  if (options.live) {
    engine.live = std::make_unique<LiveRun>(
        *std::move(crew),
        LiveRun::Options{.speed_ppm = options.speed_ppm,
                         .latencies = latencies_of(plan),
                         .placement = Placement(plan.placement(), options.processes),
                         .seed = plan.seed(),
                         .journal = *options.journal,
                         .end = from_ns(plan.duration_ns()),
                         .stop = options.stop});
    for (const plan::FaultPlan& fault : plan.process_faults()) apply_fault(fault, *engine.live);
  } else {
    engine.many = std::make_unique<ManyProcesses>(*std::move(crew), window, options.stop);
  }
  return {};
}

LiveFacts live_facts(const plan::RunPlan& plan, const LiveOutcome& outcome) {
  LiveFacts facts;
  facts.speed = static_cast<double>(outcome.speed_ppm) / 1e6;
  facts.worker_deaths = outcome.deaths;
  facts.store_transactions = outcome.transactions;
  const LatencyModel::PerLink latencies = latencies_of(plan);
  for (std::size_t i = 0; i < live::kClasses; ++i) {
    const auto p50 = outcome.lateness[i].percentile(50);
    const auto p99 = outcome.lateness[i].percentile(99);
    if (!p50 || !p99) continue;
    LiveFacts::Lateness& one = facts.lateness[std::string(live::class_name(i))];
    one.p50_ns = p50->count();
    one.p99_ns = p99->count();
    if (i < latencies.size()) one.tolerable_ns = live::tolerable(latencies[i]).count();
  }
  return facts;
}

void note_refused(const transport::Refused& refused, RunFacts& facts) {
  for (std::size_t i = 0; i < refused.frames.size(); ++i) {
    const auto why = static_cast<transport::Refusal>(i);
    facts.refused_frames[std::string(transport::name_of(why))] = refused.frames[i];
  }
  facts.refused_peers = refused.peers;
}

// A run with all who watch it. A rewind ends one and begins another from the same plan.
struct Voyage {
  Voyage(const plan::RunPlan& plan, const ExecuteOptions& options) : watchers(plan, options) {}

  Watchers watchers;
  std::optional<JournalWriter> writer;
  std::optional<RunJournal> journal;
  std::optional<RunLog> log;
  Engine engine;  ///< last: it is gone before those that watch it
};

Result<void> open_journal(Voyage& voyage, const plan::RunPlan& plan,
                          const std::filesystem::path& directory, std::uint32_t live_processes) {
  Result<JournalWriter> created = JournalWriter::create(directory);
  if (!created) return tl::unexpected(created.error());
  voyage.writer.emplace(*std::move(created));
  voyage.journal.emplace(*voyage.writer, plan, live_processes);
  voyage.engine.timeline().add_observer(*voyage.journal);
  return {};
}

Result<std::unique_ptr<Voyage>> set_out(const plan::RunPlan& plan, const ExecuteOptions& options,
                                        RunFacts& facts) {
  auto voyage = std::make_unique<Voyage>(plan, options);
  if (const Result<void> begun = begin(voyage->engine, plan, options, facts); !begun) {
    return tl::unexpected(begun.error());
  }
  Timeline& timeline = voyage->engine.timeline();
  voyage->watchers.attach(timeline);
  if (options.journal) {
    const Result<void> opened =
        open_journal(*voyage, plan, *options.journal, options.live ? options.processes : 0);
    if (!opened) return tl::unexpected(opened.error());
  }
  if (options.log) {
    Result<RunLog> created = RunLog::create(*options.log, options.log_level);
    if (!created) return tl::unexpected(created.error());
    voyage->log.emplace(*std::move(created));
    voyage->log->begin(plan);
    timeline.add_observer(*voyage->log);
  }
  if (options.steering != nullptr) {
    options.steering->begin({timeline, voyage->journal ? &*voyage->journal : nullptr});
  }
  return voyage;
}

// What a run that is begun anew has written so far.
Result<void> discard(std::unique_ptr<Voyage> voyage, const ExecuteOptions& options) {
  voyage.reset();
  if (!options.journal) return {};
  return discard_journal(*options.journal);
}

struct Outcome {
  std::unique_ptr<Voyage> voyage;
  std::optional<Defect> defect;
  bool ended_early = false;
};

Result<Outcome> sail(const plan::RunPlan& plan, const ExecuteOptions& options, RunFacts& facts) {
  const SimTime end = from_ns(plan.duration_ns());
  const auto stopped = [&options] { return options.stop != nullptr && options.stop->load(); };
  Outcome outcome;
  while (true) {
    if (!outcome.voyage) {
      Result<std::unique_ptr<Voyage>> begun = set_out(plan, options, facts);
      if (!begun) return tl::unexpected(begun.error());
      outcome.voyage = *std::move(begun);
    }
    Timeline& timeline = outcome.voyage->engine.timeline();
    const Order order =
        options.steering != nullptr ? options.steering->next() : Order{Order::What::Run, end};
    if (order.what == Order::What::Rewind) {
      options.steering->end();
      const Result<void> discarded = discard(std::move(outcome.voyage), options);
      if (!discarded) return tl::unexpected(discarded.error());
      continue;
    }
    const bool over = order.what == Order::What::End || stopped();
    const SimTime to = over ? timeline.now() : std::min(order.to, end);
    const bool last = over || to == end;
    outcome.defect = last ? timeline.run_until(to) : timeline.advance(to);
    const bool is_there = over || timeline.now() >= to;
    if (!(last && is_there) && !outcome.defect && !stopped()) continue;
    outcome.ended_early = stopped() || timeline.now() < end;
    return outcome;
  }
}

}  // namespace

Result<ExecuteResult> execute(const plan::RunPlan& plan, const ExecuteOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  RunFacts facts;
  Result<Outcome> outcome = sail(plan, options, facts);
  if (!outcome) return tl::unexpected(outcome.error());
  Voyage& voyage = *outcome->voyage;
  Timeline& timeline = voyage.engine.timeline();
  if (options.steering != nullptr) options.steering->end();

  LiveRun* const live = voyage.engine.live.get();
  if (live != nullptr) {
    live->finish();
    facts.live = live_facts(plan, live->outcome());
  }
  const Digest digest = timeline.digest();
  facts.digest = digest.hex();
  facts.messages_delivered = timeline.delivered();
  facts.end = timeline.now();
  facts.interrupted = outcome->ended_early && !outcome->defect;
  if (voyage.engine.many) facts.windows = voyage.engine.many->windows();
  if (voyage.engine.many) note_refused(voyage.engine.many->refused(), facts);
  if (live != nullptr) note_refused(live->refused(), facts);
  facts.defects = outcome->defect ? 1 : 0;
  if (live != nullptr) facts.defects += live->defects();
  std::vector<Error> unwritten;
  const auto note = [&unwritten](const Result<void>& written) {
    if (!written) unwritten.push_back(written.error());
  };
  if (live != nullptr && !live->outcome().unwritten.empty()) {
    unwritten.push_back({live->outcome().unwritten, "a worker"});
  }
  if (voyage.log) note(voyage.log->end(facts, outcome->defect));
  if (voyage.journal) {
    voyage.journal->end(timeline.now(), timeline.delivered(), digest, outcome->defect);
    note(voyage.writer->close());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  facts.wall_seconds = took.count();
  ExecuteResult result = conclude(plan, voyage.watchers, facts, std::move(outcome->defect));
  result.unwritten = std::move(unwritten);
  return result;
}

}  // namespace troupe
