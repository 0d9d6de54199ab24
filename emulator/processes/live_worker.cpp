#include "emulator/processes/live_worker.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "emulator/processes/arrivals.h"
#include "emulator/processes/host_kinds.h"
#include "emulator/processes/live_egress.h"
#include "emulator/processes/load_plan.h"
#include "emulator/processes/patience.h"
#include "emulator/transport/event_codec.h"
#include "messages/envelope.h"
#include "messages/hash.h"
#include "messages/runtime.pb.h"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Senders of what the runtime itself delivers: the plan, a worker that takes up hosts again, and
// the launcher.
constexpr std::uint64_t kPlan = 0;
constexpr std::uint64_t kSuccessor = 1;
constexpr std::uint64_t kLauncher = 2;
constexpr std::size_t kRoomBytes = std::size_t{256} << 10;

// Gives a live runtime its part of a plan: of one that has begun already, what is still to come.
class PlanFeeder final : public Timeline {
 public:
  PlanFeeder(live::LiveRuntime& runtime, const Placement& placement, std::uint32_t process,
             SimTime now, std::set<std::uint64_t> begun)
      : runtime_(runtime),
        placement_(placement),
        process_(process),
        now_(now),
        begun_(std::move(begun)) {}

  void inject(const Address& to, Payload what, SimTime at) override {
    const std::uint64_t sequence = sequence_++;
    if (placement_.process_of(to.host) != process_) return;
    const bool starts = what.as<runtime::HostStart>() != nullptr;
    if (starts ? begun_.contains(to.host) : at < now_) return;
    runtime_.deliver({at, 0, EventClass::Fault, 0, kPlan, sequence},
                     {to, {std::move(what), {}, 0, 0}});
  }

  void add_observer(Observer&) override {}
  std::optional<Defect> advance(SimTime) override { return std::nullopt; }
  [[nodiscard]] std::optional<SimTime> next_event() const override { return std::nullopt; }
  [[nodiscard]] SimTime now() const override { return now_; }
  [[nodiscard]] std::uint64_t delivered() const override { return 0; }
  [[nodiscard]] Digest digest() override { return {}; }

 private:
  void tell_standstill(SimTime) override {}

  live::LiveRuntime& runtime_;
  const Placement& placement_;
  std::uint32_t process_;
  SimTime now_;
  std::set<std::uint64_t> begun_;
  std::uint64_t sequence_ = 0;
};

live::LiveOptions options_of(const WorkerSeat& seat) {
  live::LiveOptions options{.seed = seat.plan.seed(),
                            .latencies = latencies_of(seat.plan),
                            .faults = faults_of(seat.plan)};
  options.placement = Placement(seat.plan.placement(), seat.welcome.processes());
  options.process = seat.welcome.process();
  options.epoch = seat.welcome.live().epoch();
  options.end = from_ns(seat.plan.duration_ns());
  return options;
}

class LiveWorker {
 public:
  LiveWorker(WorkerSeat seat, live::StateStore store, live::InboxJournal journal)
      : seat_(seat),
        store_(std::move(store)),
        journal_(std::move(journal)),
        options_(options_of(seat)),
        egress_(seat_, store_, journal_),
        runtime_(options_, registry_, clock_,
                 [this](live::HostOutput output) { egress_.take(std::move(output)); }) {}

  Result<void> run() {
    egress_.begin(runtime_);
    Result<void> result = listen();
    runtime_.stop();
    if (egress_.is_stuck()) {
      egress_.abandon();
      return fail(egress_.unwritten());
    }
    egress_.end(seat_.inbox.refused());
    if (result && !egress_.unwritten().empty()) return fail(egress_.unwritten());
    return result;
  }

 private:
  Result<void> listen() {
    auto heard = std::chrono::steady_clock::now();
    while (true) {
      const std::optional<transport::Received> received = seat_.inbox.receive(kListen);
      if (egress_.is_stuck()) return {};  // said by whoever called
      if (egress_.launcher_is_gone()) return fail("the launcher is gone");
      if (!received) {
        if (std::chrono::steady_clock::now() - heard > kSilence) {
          return fail("the launcher has fallen silent");
        }
        continue;
      }
      const wire::Message& message = received->message;
      if (message.has_ping()) heard = std::chrono::steady_clock::now();
      if (message.has_finish()) return {};
      if (message.has_clock() && makes_sense(message.clock())) {
        if (const Result<void> set = set_clock(message.clock()); !set) return set;
      } else if (!message.has_ping() && !take(*received)) {
        seat_.inbox.refuse(transport::Refusal::Nonsense);
      }
    }
  }

  /// Whether it makes sense.
  bool take(const transport::Received& received) {
    if (received.batch) return deliver(*received.batch);
    const wire::Message& message = received.message;
    if (message.has_fault()) return inject(message.fault());
    if (message.has_peer_lost()) return hear_of(message.peer_lost());
    if (message.has_disk()) {
      egress_.set_disk_full(message.disk().is_full());
      return true;
    }
    return false;
  }

  // What is due already is late, not senseless.
  bool deliver(const transport::ReceivedBatch& batch) {
    Result<std::vector<Departure>> arrivals =
        read_batch(batch, {&options_.placement, options_.process, SimTime{}});
    if (!arrivals) return false;
    for (Departure& arrival : *arrivals) runtime_.deliver(arrival.key, std::move(arrival.event));
    return true;
  }

  bool hear_of(const wire::PeerLost& lost) {
    if (lost.process() >= seat_.peers.size() || lost.process() == options_.process) return false;
    egress_.peer_lost(lost);
    return true;
  }

  static bool makes_sense(const wire::Clock& clock) {
    return clock.virtual_ns() >= 0 && clock.speed_ppm() >= 0;
  }

  Result<void> set_clock(const wire::Clock& clock) {
    const SimTime now = from_ns(clock.virtual_ns());
    clock_.set(now, clock.speed_ppm());
    if (!std::exchange(began_, true)) return take_up_hosts(now);
    runtime_.clock_changed();
    return {};
  }

  // A power loss of every host that the process before this one ran: they boot now.
  Result<void> take_up_hosts(SimTime now) {
    const Result<std::vector<live::StateStore::Host>> hosts = store_.hosts();
    if (!hosts) return tl::unexpected(hosts.error());
    std::set<std::uint64_t> begun;
    std::uint64_t sequence = std::uint64_t{options_.epoch} << 32;
    for (const live::StateStore::Host& host : *hosts) {
      begun.insert(host_hash(host.path));
      if (host.start.empty()) continue;
      runtime::Envelope envelope;
      if (!envelope.ParseFromString(host.start)) return fail("the store is damaged", host.path);
      Result<Payload> start = from_envelope(envelope);
      if (!start) return tl::unexpected(start.error());
      runtime_.take_up(host);
      runtime_.deliver({now, 0, EventClass::Fault, 0, kSuccessor, sequence++},
                       {address_of(host.path), {*std::move(start), {}, 0, 0}});
    }
    PlanFeeder feeder(runtime_, options_.placement, options_.process, now, std::move(begun));
    load_plan(seat_.plan, feeder);
    egress_.hosts_are_there();
    return {};
  }

  bool inject(const wire::Fault& fault) {
    const Address to = transport::from_wire(fault.to());
    Result<Payload> what = from_envelope(fault.message());
    if (!what || fault.at_ns() < 0) return false;
    const OrderKey key{from_ns(fault.at_ns()), 0, EventClass::Fault, 0, kLauncher,
                       fault.sequence()};
    if (what->as<fault::TakeRules>() != nullptr) {
      runtime_.take_rules(key, *what);
      return true;
    }
    if (options_.placement.process_of(to.host) != options_.process) return true;  // a peer's
    runtime_.deliver(key, {to, {*std::move(what), {}, 0, 0}});
    return true;
  }

  WorkerSeat seat_;
  live::StateStore store_;
  live::InboxJournal journal_;
  live::LiveOptions options_;
  HostRegistry registry_ = all_host_kinds();
  live::LiveClock clock_;
  LiveEgress egress_;
  live::LiveRuntime runtime_;
  bool began_ = false;
};

}  // namespace

// A file of a size that journal and store will soon need.
Result<void> find_room(const wire::Welcome& welcome) {
  namespace fs = std::filesystem;
  if (welcome.live().disk_is_full()) return fail("the disk of its journal has no room left");
  const fs::path directory = fs::path(welcome.live().directory()) / "journal";
  std::error_code ignored;
  fs::create_directories(directory, ignored);
  const fs::path probe = directory / ("room-" + std::to_string(welcome.process()) + ".part");
  std::ofstream file(probe, std::ios::binary);
  file << std::string(kRoomBytes, '\0');
  file.close();
  const bool has_room = file.good();
  fs::remove(probe, ignored);
  if (has_room) return {};
  return fail("there is no room in " + directory.string() + ": is the disk full?");
}

Result<void> run_live_worker(WorkerSeat seat) {
  namespace fs = std::filesystem;
  const fs::path directory = seat.welcome.live().directory();
  std::error_code ignored;
  fs::create_directories(directory / "state", ignored);
  const std::string name = "worker-" + std::to_string(seat.welcome.process()) + ".sqlite";
  Result<live::StateStore> store = live::StateStore::open(directory / "state" / name);
  if (!store) return tl::unexpected(store.error());
  Result<live::InboxJournal> journal = live::InboxJournal::create(
      directory / "journal", seat.welcome.process(), seat.welcome.live().epoch());
  if (!journal) return tl::unexpected(journal.error());
  return LiveWorker(seat, *std::move(store), *std::move(journal)).run();
}

}  // namespace troupe
