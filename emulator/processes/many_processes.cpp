#include "emulator/processes/many_processes.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "emulator/processes/patience.h"
#include "emulator/runtime/order_key_message.h"
#include "emulator/transport/event_codec.h"
#include "messages/envelope.h"

namespace troupe {
namespace {

// Long enough to notice a death soon, short enough to see a signal at once.
// After so long whoever waits is told who has not answered; then after twice as long.
constexpr auto kPatience = std::chrono::seconds(5);

}  // namespace

ManyProcesses::ManyProcesses(std::unique_ptr<Crew> crew, std::optional<Duration> lookahead,
                             const std::atomic<bool>* stop)
    : crew_(std::move(crew)), lookahead_(lookahead), stop_(stop), processes_(crew_->size()) {
  for (Process& process : processes_) process.incoming.resize(processes_.size());
}

void ManyProcesses::inject(const Address& to, Payload what, SimTime at) {
  hear_first_reports();
  wire::Message message;
  wire::Fault& fault = *message.mutable_fault();
  fault.set_at_ns(to_ns(at));
  *fault.mutable_to() = transport::to_wire(to);
  *fault.mutable_message() = to_envelope(what);
  // Every process counts it; that it may have something to do then does no harm.
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    crew_->send(i, message);
    processes_[i].expect(at);
  }
}

std::optional<Defect> ManyProcesses::advance(SimTime end) {
  hear_first_reports();
  while (!defect_ && !stopped()) {
    const std::optional<SimTime> first = earliest();
    if (!first || *first > end) break;
    const bool checkpoint = *first >= next_checkpoint_;
    const SimTime second = std::chrono::floor<std::chrono::seconds>(*first);
    if (checkpoint) next_checkpoint_ = second + std::chrono::seconds(1);
    SimTime window_end = std::min(end + Duration(1), next_checkpoint_);
    if (lookahead_) window_end = std::min(window_end, *first + *lookahead_);
    run_window(window_end, checkpoint);
    if (checkpoint && !defect_) {
      for (Observer* observer : observers_) observer->on_checkpoint(second, sum());
    }
    show_facts();
    now_ = std::max(now_, std::min(end, window_end));
  }
  if (!defect_ && !stopped()) now_ = end;
  return defect_;
}

void ManyProcesses::tell_standstill(SimTime end) {
  for (Observer* observer : observers_) observer->on_checkpoint(end, digest());
}

std::vector<WorkerState> ManyProcesses::workers() const {
  std::vector<WorkerState> states;
  for (std::uint32_t i = 0; i < crew_->size(); ++i) states.push_back({crew_->name(i), "running"});
  return states;
}

std::uint64_t ManyProcesses::delivered() const {
  std::uint64_t total = 0;
  for (const Process& process : processes_) total += process.delivered;
  return total;
}

Digest ManyProcesses::digest() {
  if (!defect_) refresh_digests();
  return sum();
}

Digest ManyProcesses::sum() const {
  Digest total;
  for (const Process& process : processes_) total += process.digest;
  return total;
}

void ManyProcesses::hear_first_reports() {
  if (std::exchange(began_, true)) return;
  std::vector<std::uint32_t> all(processes_.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  collect(std::move(all));
}

std::optional<SimTime> ManyProcesses::earliest() const {
  std::optional<SimTime> first;
  for (const Process& process : processes_) {
    const std::optional<SimTime> one = process.earliest();
    if (one && (!first || *one < *first)) first = one;
  }
  return first;
}

std::optional<SimTime> ManyProcesses::Process::earliest() const {
  if (next && arriving) return std::min(*next, *arriving);
  return next ? next : arriving;
}

void ManyProcesses::Process::expect(SimTime due) {
  arriving = arriving ? std::min(*arriving, due) : due;
}

void ManyProcesses::run_window(SimTime end, bool digests) {
  ++windows_;
  std::vector<std::uint32_t> owing;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    Process& process = processes_[i];
    const std::optional<SimTime> first = process.earliest();
    const bool has_work = first && *first < end;
    if (!has_work && !(digests && process.ran)) continue;
    grant(i, end, digests);
    process.ran = has_work;
    owing.push_back(i);
  }
  collect(std::move(owing));
}

// The digest of each process that ran since it said it last. A window that ends in the past runs
// nothing.
void ManyProcesses::refresh_digests() {
  std::vector<std::uint32_t> owing;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    if (!processes_[i].ran) continue;
    grant(i, kTimeZero, true);
    processes_[i].ran = false;
    owing.push_back(i);
  }
  collect(std::move(owing));
}

void ManyProcesses::grant(std::uint32_t process, SimTime end, bool digest) {
  wire::Message message;
  wire::Grant& grant = *message.mutable_grant();
  grant.set_end_ns(to_ns(end));
  for (const std::uint64_t events : processes_[process].incoming) grant.add_accepted(events);
  grant.set_digest(digest);
  processes_[process].arriving.reset();  // it takes them in before it reports
  crew_->send(process, message);
}

void ManyProcesses::collect(std::vector<std::uint32_t> owing) {
  const auto began = std::chrono::steady_clock::now();
  std::chrono::seconds patience = kPatience;
  while (!owing.empty() && !defect_) {
    if (const std::optional<Crew::Heard> heard = crew_->hear(kListen)) {
      const bool owes = std::find(owing.begin(), owing.end(), heard->process) != owing.end();
      if (take(*heard, owes)) std::erase(owing, heard->process);
      continue;
    }
    if (const auto lost = crew_->loss()) {
      defect_ = Defect{lost->how, "", now_, "a worker process died: the run cannot go on"};
      return;
    }
    if (stopped()) return;
    if (std::chrono::steady_clock::now() - began > patience) {
      tell_of_silent(owing, patience);
      patience *= 2;
    }
  }
}

// A window that takes long is no defect: whoever waits is told, and decides.
void ManyProcesses::tell_of_silent(const std::vector<std::uint32_t>& owing,
                                   std::chrono::seconds waited) const {
  for (const std::uint32_t process : owing) {
    crew_->tell(crew_->name(process) + " has not answered for " + std::to_string(waited.count()) +
                " s");
  }
}

// What nobody asked for is counted and forgotten. What was asked for and makes no sense ends the
// run: nothing better will come.
bool ManyProcesses::take(const Crew::Heard& heard, bool owes) {
  const wire::Message& message = heard.message;
  if (!owes || !(message.has_facts() || message.has_report())) {
    crew_->refuse_message();
    return false;
  }
  const Result<void> fine = message.has_facts() ? take_facts(heard.process, message.facts())
                                                : check_report(heard.process, message.report());
  if (!fine) {
    crew_->refuse_message();
    end_for(heard.process, message.has_facts() ? "Facts" : "Report", fine.error().message);
    return false;
  }
  if (message.has_report()) take_report(heard.process, message.report());
  return message.has_report();
}

void ManyProcesses::end_for(std::uint32_t process, const std::string& message,
                            const std::string& why) {
  defect_ = Defect{crew_->name(process), message, now_, why};
}

Result<void> ManyProcesses::check_report(std::uint32_t process, const wire::Report& report) const {
  if (report.has_next_ns() && !report.has_defect() && from_ns(report.next_ns()) < now_) {
    return fail("its next event is due in the past");
  }
  if (report.delivered() < processes_[process].delivered) return fail("it has undone deliveries");
  for (const wire::Sent& sent : report.sent()) {
    if (sent.process() >= processes_.size() || sent.process() == process) {
      return fail("it sent events to process " + std::to_string(sent.process()) +
                  ", which is no peer of it");
    }
    if (from_ns(sent.first_ns()) < now_) return fail("it sent an event that is due in the past");
  }
  return {};
}

transport::Refused ManyProcesses::refused() {
  transport::Refused all = crew_->refused();
  for (const Process& process : processes_) all += process.refused;
  return all;
}

void ManyProcesses::take_report(std::uint32_t process, const wire::Report& report) {
  Process& from = processes_[process];
  from.delivered = report.delivered();
  from.next.reset();
  if (report.has_next_ns()) from.next = from_ns(report.next_ns());
  if (report.has_digest_low()) from.digest = {report.digest_low(), report.digest_high()};
  for (const wire::Sent& sent : report.sent()) {
    Process& to = processes_[sent.process()];
    to.incoming[process] += sent.events();
    to.expect(from_ns(sent.first_ns()));
  }
  if (report.has_refusals()) from.refused = transport::from_wire(report.refusals());
  if (report.has_defect()) {
    const wire::Defect& what = report.defect();
    const OrderKey key = from_message(what.key());
    if (!defect_ || key < defect_key_) {
      defect_ = Defect{what.actor(), what.message(), from_ns(what.time_ns()), what.what()};
      defect_key_ = key;
    }
  }
}

Result<void> ManyProcesses::take_facts(std::uint32_t process, const journal::Facts& facts) {
  for (const journal::Fact& fact : facts.facts()) {
    Result<Payload> payload = from_envelope(fact.fact());
    if (!payload) return tl::unexpected(payload.error());
    if (fact.key().time_ns() < 0) return fail("a fact from before the beginning");
    processes_[process].facts.push_back(
        {from_message(fact.key()), fact.actor(), *std::move(payload)});
  }
  return {};
}

// Those of one process are in order already; no two processes have facts of one key.
void ManyProcesses::show_facts() {
  std::vector<Fact> all;
  for (Process& process : processes_) {
    std::move(process.facts.begin(), process.facts.end(), std::back_inserter(all));
    process.facts.clear();
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Fact& a, const Fact& b) { return a.key < b.key; });
  for (const Fact& fact : all) {
    if (defect_ && defect_key_ < fact.key) return;  // one process alone would not have come here
    for (Observer* observer : observers_) {
      observer->on_fact({fact.key, fact.actor, fact.fact});
    }
  }
}

}  // namespace troupe
