#include "emulator/processes/execute.h"

#include <chrono>

#include "emulator/checks/expectations.h"
#include "emulator/checks/invariants.h"
#include "emulator/journal/run_journal.h"
#include "emulator/processes/host_kinds.h"
#include "messages/assert.h"
#include "messages/envelope.h"
#include "messages/facts.pb.h"
#include "messages/hash.h"
#include "messages/runtime.pb.h"

namespace troupe {
namespace {

Payload unpack(const runtime::Envelope& envelope) {
  Result<Payload> payload = from_envelope(envelope);
  TROUPE_ASSERT(payload.has_value(),
                "a plan holds what it was made of: " + payload.error().message);
  return *std::move(payload);
}

LatencyModel::PerLink latencies_of(const plan::RunPlan& plan) {
  LatencyModel::PerLink latencies = LatencyModel::defaults();
  for (int i = 0; i < plan.latencies_size(); ++i) {
    latencies.at(static_cast<std::size_t>(i)) = plan.latencies(i);
  }
  return latencies;
}

void start_hosts(const plan::RunPlan& plan, VirtualRuntime& runtime) {
  for (const plan::HostPlan& host : plan.hosts()) {
    runtime::HostStart start;
    start.set_kind(host.kind());
    start.set_path(host.path());
    std::vector<Payload> attachments;
    for (const runtime::Envelope& attachment : host.attachments()) {
      attachments.push_back(unpack(attachment));
    }
    runtime.start_host(host.path(), Payload::of(std::move(start), std::move(attachments)),
                       from_ns(host.start_ns()));
  }
}

template <class Fact>
Payload fact_about(const plan::FaultPlan& fault) {
  Fact fact;
  fact.set_kind(fault.kind());
  fact.set_target(fault.target());
  return Payload::of(std::move(fact));
}

void schedule_faults(const plan::RunPlan& plan, VirtualRuntime& runtime) {
  for (const plan::FaultPlan& fault : plan.faults()) {
    const SimTime at = from_ns(fault.at_ns());
    if (fault.has_message()) {
      runtime.inject(address_of(fault.target()), unpack(fault.message()), at);
    } else {
      std::optional<Duration> restart;
      if (fault.restarts()) restart = Duration(fault.restart_after_ns());
      runtime.crash_host(fault.target(), at, restart);
    }
    runtime.record_at(at, fault.heals() ? fact_about<facts::FaultHealed>(fault)
                                        : fact_about<facts::FaultInjected>(fault));
  }
  // A rule of the network befalls messages, not an actor: this is all that is told of it.
  for (const fault::LinkRule& rule : plan.links()) {
    for (int i = 0; i < rule.begin_ns_size(); ++i) {
      facts::FaultInjected fact;
      fact.set_kind(rule.kind());
      fact.set_target("network");
      runtime.record_at(from_ns(rule.begin_ns(i)), Payload::of(std::move(fact)));
    }
  }
}

RuntimeOptions options_of(const plan::RunPlan& plan) {
  RuntimeOptions options{.seed = plan.seed(), .latencies = latencies_of(plan)};
  options.link_rules.assign(plan.links().begin(), plan.links().end());
  for (const plan::HostPlan& host : plan.hosts()) {
    options.listed_hosts.insert(address_of(host.path()).host);
  }
  options.director = address_of("controller/director/0");
  const google::protobuf::FileDescriptor& file = *facts::PodBound::descriptor()->file();
  for (const std::string& name : plan.watched_facts()) {
    options.watched_facts.insert(hash_bytes(file.FindMessageTypeByName(name)->full_name()));
  }
  return options;
}

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

  void attach(VirtualRuntime& runtime) {
    for (Observer* observer : std::initializer_list<Observer*>{
             &accounts, &invariants, &expectations, &refusals, &progress}) {
      runtime.add_observer(*observer);
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
  const SimTime end = from_ns(plan.duration_ns());
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
  result.held = !defect && all_held(summary);
  result.defect = std::move(defect);
  return result;
}

}  // namespace

Result<ExecuteResult> execute(const plan::RunPlan& plan, const ExecuteOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  std::optional<JournalWriter> writer;
  std::optional<RunJournal> journal;
  Watchers watchers(plan, options);
  const HostRegistry registry = all_host_kinds();
  VirtualRuntime runtime(options_of(plan), registry);
  watchers.attach(runtime);
  if (options.journal) {
    Result<JournalWriter> created = JournalWriter::create(*options.journal);
    if (!created) return tl::unexpected(created.error());
    writer.emplace(*std::move(created));
    journal.emplace(*writer, plan);
    runtime.add_observer(*journal);
  }
  std::optional<RunLog> log;
  if (options.log) {
    Result<RunLog> created = RunLog::create(*options.log, options.log_level);
    if (!created) return tl::unexpected(created.error());
    log.emplace(*std::move(created));
    log->begin(plan);
    runtime.add_observer(*log);
  }
  start_hosts(plan, runtime);
  schedule_faults(plan, runtime);
  std::optional<Defect> defect = runtime.run_until(from_ns(plan.duration_ns()));

  RunFacts facts;
  facts.digest = runtime.digest().hex();
  facts.messages_delivered = runtime.delivered();
  facts.defects = defect ? 1 : 0;
  std::vector<Error> unwritten;
  const auto note = [&unwritten](const Result<void>& written) {
    if (!written) unwritten.push_back(written.error());
  };
  if (log) note(log->end(facts, defect));
  if (journal) {
    journal->end(runtime.now(), runtime.delivered(), defect);
    note(writer->close());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  facts.wall_seconds = took.count();
  ExecuteResult result = conclude(plan, watchers, facts, std::move(defect));
  result.unwritten = std::move(unwritten);
  return result;
}

}  // namespace troupe
