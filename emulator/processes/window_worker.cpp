#include "emulator/processes/window_worker.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <zmq.hpp>

#include "emulator/journal/fact_message.h"
#include "emulator/processes/arrivals.h"
#include "emulator/processes/build_id.h"
#include "emulator/processes/host_kinds.h"
#include "emulator/processes/launcher_link.h"
#include "emulator/processes/live_worker.h"
#include "emulator/processes/load_plan.h"
#include "emulator/runtime/order_key_message.h"
#include "emulator/transport/endpoint.h"
#include "emulator/transport/event_codec.h"
#include "emulator/transport/frame_socket.h"
#include "emulator/transport/gatekeeper.h"
#include "messages/envelope.h"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using transport::FrameSocket;
using transport::Role;

// What a peer has sent is there within a moment, or was lost on the way.
constexpr auto kLost = std::chrono::seconds(30);
// Frames of facts and events are closed at this size; the last thing put in may add to it.
constexpr std::size_t kFrameSize = std::size_t{4} << 20;

// The facts of the window in hand, as they will be sent.
class FactsOfWindow final : public Observer {
 public:
  void on_fact(const FactRecord& record) override {
    if (frames_.empty() || size_ >= kFrameSize) {
      frames_.emplace_back();
      size_ = 0;
    }
    journal::Fact fact = to_message(record);
    size_ += fact.ByteSizeLong();
    *frames_.back().mutable_facts()->add_facts() = std::move(fact);
  }
  std::vector<wire::Message> take() {
    size_ = 0;
    return std::exchange(frames_, {});
  }

 private:
  std::vector<wire::Message> frames_;
  std::size_t size_ = 0;
};

class Worker {
 public:
  explicit Worker(const WorkerOptions& options)
      : options_(options),
        launcher_(context_, options.launcher, keys()),
        inbox_(context_, Role::Inbox, keys()) {
    if (options_.keys) gatekeeper_.emplace(context_, options_.keys->public_half);
  }

  Result<void> run() {
    if (const Result<void> joined = join(); !joined) return joined;
    const Result<void> worked = welcome_.has_live() ? work_live() : work();
    if (!worked) leave(worked.error());
    return worked;
  }

 private:
  // ---- joining ----
  Result<void> join() {
    const Result<wire::Message> answer = launcher_.greet(hello(), options_.wait);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->has_refused()) return fail("the launcher refuses: " + answer->refused().why());
    if (answer->has_finish()) return fail("the run ended before it began");
    if (!answer->has_welcome()) return fail("the launcher speaks out of turn");
    welcome_ = answer->welcome();
    if (options_.sockets_in && !welcome_.folder().empty()) options_.sockets_in(welcome_.folder());
    Result<void> ready = read_plan();
    if (ready && welcome_.has_live()) ready = find_room(welcome_);
    if (ready) ready = meet_peers();
    if (!ready) leave(ready.error());
    return ready;
  }

  void leave(const Error& why) {
    wire::Message message;
    message.mutable_leave()->set_why(why.message);
    launcher_.say(message);
  }

  Result<void> work_live() {
    return run_live_worker({context_, launcher_.socket(), inbox_, peers_, keys(), plan_, welcome_});
  }

  Result<void> work() {
    begin();
    while (true) {
      const Result<wire::Message> message = launcher_.hear();
      if (!message) return tl::unexpected(message.error());
      if (message->has_finish()) return {};
      if (message->has_fault()) {
        inject(message->fault());
      } else if (message->has_grant()) {
        if (const Result<void> ran = run_window(message->grant()); !ran) return ran;
      } else {
        launcher_.refuse_message();
      }
    }
  }

  static wire::Message hello() {
    wire::Message message;
    wire::Hello& hello = *message.mutable_hello();
    hello.set_program(TROUPE_VERSION);
    hello.set_build(build_id());
    hello.set_pid(getpid());
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    hello.set_host(host.data());
    return message;
  }

  Result<void> read_plan() {
    std::string bytes;
    for (bool last = false; !last;) {
      const Result<wire::Message> message = launcher_.hear();
      if (!message) return tl::unexpected(message.error());
      if (message->has_finish()) return fail("the run ended before it began");
      if (!message->has_plan_part()) return fail("expected the plan of the run");
      bytes += message->plan_part().part();
      last = message->plan_part().last();
    }
    if (!plan_.ParseFromString(bytes)) return fail("the plan of the run does not parse");
    return {};
  }

  Result<void> meet_peers() {
    const Result<std::string> wanted = inbox_endpoint();
    if (!wanted) return tl::unexpected(wanted.error());
    const Result<std::string> endpoint = inbox_.bind(*wanted);
    if (!endpoint) return tl::unexpected(endpoint.error());
    wire::Message joined;
    joined.mutable_joined()->set_endpoint(*endpoint);
    launcher_.say(joined);
    const Result<wire::Message> message = launcher_.hear();
    if (!message) return tl::unexpected(message.error());
    if (message->has_finish()) return fail("the run ended before it began");
    if (static_cast<std::uint32_t>(message->peers().endpoints_size()) != welcome_.processes()) {
      return fail("expected the endpoints of the other workers");
    }
    for (const std::string& peer : message->peers().endpoints()) {
      peers_.emplace_back(context_, Role::Outbox, keys());
      // Of a live run one may be away: its successor is made known.
      if (peer == *endpoint || (peer.empty() && welcome_.has_live())) continue;
      if (const Result<void> connected = peers_.back().connect(peer); !connected) {
        return connected;
      }
    }
    return {};
  }

  // Where the launcher gives no folder, the peers are on other machines.
  Result<std::string> inbox_endpoint() const {
    if (!welcome_.folder().empty()) {
      return "ipc://" + welcome_.folder() + "/worker-" + std::to_string(welcome_.process());
    }
    if (!options_.keys) return fail("the run is over a network: it needs keys");
    if (!options_.address.empty()) return "tcp://" + options_.address + ":*";
    const Result<transport::Endpoint> there = transport::parse_endpoint(options_.launcher);
    if (!there) return tl::unexpected(there.error());
    const Result<std::string> own = transport::own_address_towards(*there);
    if (!own) return tl::unexpected(own.error());
    return "tcp://" + *own + ":*";
  }

  void begin() {
    RuntimeOptions options{
        .seed = plan_.seed(), .latencies = latencies_of(plan_), .faults = faults_of(plan_)};
    placement_ = Placement(plan_.placement(), welcome_.processes());
    options.placement = placement_;
    options.process = welcome_.process();
    options.lookahead = Duration(welcome_.lookahead_ns());
    accepted_.resize(welcome_.processes());
    runtime_ = std::make_unique<VirtualRuntime>(std::move(options), registry_);
    runtime_->add_observer(facts_);
    load_plan(plan_, *runtime_);
    wire::Message report;
    fill_report(*report.mutable_report());
    launcher_.say(report);
  }

  // ---- windows ----
  void inject(const wire::Fault& fault) {
    Result<Payload> payload = from_envelope(fault.message());
    if (!payload || from_ns(fault.at_ns()) < runtime_->now()) return launcher_.refuse_message();
    runtime_->inject(transport::from_wire(fault.to()), *std::move(payload), from_ns(fault.at_ns()));
  }

  Result<void> run_window(const wire::Grant& grant) {
    if (static_cast<std::uint32_t>(grant.accepted_size()) != welcome_.processes()) {
      return fail("the launcher's grant names another number of processes");
    }
    for (int peer = 0; peer < grant.accepted_size(); ++peer) {
      const auto from = static_cast<std::uint32_t>(peer);
      if (const Result<void> ready = accept(from, grant.accepted(peer)); !ready) return ready;
    }
    wire::Message message;
    wire::Report& report = *message.mutable_report();
    if (grant.digest()) {
      const Digest digest = runtime_->digest();
      report.set_digest_low(digest.low);
      report.set_digest_high(digest.high);
    }
    std::optional<Defect> defect;
    try {
      defect = runtime_->run_before(from_ns(grant.end_ns()));
    } catch (const std::exception& e) {
      defect = Defect{"runtime", "", runtime_->now(), e.what()};
    }
    if (defect) {
      wire::Defect& what = *report.mutable_defect();
      what.set_actor(defect->actor);
      what.set_message(defect->message);
      what.set_time_ns(to_ns(defect->time));
      what.set_what(defect->what);
      *what.mutable_key() = to_message(runtime_->current());
    }
    if (const Result<void> sent = send_departures(report); !sent) return sent;
    for (const wire::Message& facts : facts_.take()) launcher_.say(facts);
    fill_report(report);
    launcher_.say(message);
    return {};
  }

  void fill_report(wire::Report& report) {
    if (const auto next = runtime_->next_event()) report.set_next_ns(to_ns(*next));
    report.set_delivered(runtime_->delivered());
    transport::Refused refused = inbox_.refused();
    refused += launcher_.refused();
    // One that is in the middle of its handshake has not been refused yet.
    refused.peers = std::min(refused.peers, std::exchange(unproved_peers_, refused.peers));
    if (refused == transport::Refused{}) return;
    *report.mutable_refusals() = transport::to_wire(refused);
  }

  // Takes what peers sent until it was so much of that one, in all. The peer has handed it to its
  // socket before: what does not come is lost.
  Result<void> accept(std::uint32_t peer, std::uint64_t total) {
    std::optional<std::chrono::steady_clock::time_point> waits;
    while (accepted_.at(peer) < total) {
      if (take_batch(milliseconds(200))) {
        waits.reset();
        continue;
      }
      if (const Result<void> there = launcher_.still_there(); !there) return there;
      const auto now = std::chrono::steady_clock::now();
      if (!waits) waits = now;
      if (now - *waits < kLost) continue;
      return fail("of " + std::to_string(total) + " events that process " + std::to_string(peer) +
                  " has sent, " + std::to_string(total - accepted_[peer]) + " have not come");
    }
    return {};
  }

  bool take_batch(milliseconds patience) {
    std::optional<transport::Received> received = inbox_.receive(patience);
    if (!received) return false;
    Result<std::vector<Departure>> arrivals =
        received->batch
            ? read_batch(*received->batch, {&placement_, welcome_.process(), runtime_->now()})
            : fail("no batch");
    if (!arrivals) {
      inbox_.refuse(transport::Refusal::Nonsense);
      return false;
    }
    for (Departure& arrival : *arrivals) {
      runtime_->accept(arrival.key, std::move(arrival.event));
    }
    accepted_[received->batch->from] += arrivals->size();
    return true;
  }

  Result<void> send_departures(wire::Report& report) {
    std::vector<std::vector<Departure>> departures = runtime_->take_departures();
    for (std::uint32_t peer = 0; peer < departures.size(); ++peer) {
      if (departures[peer].empty()) continue;
      wire::Sent& sent = *report.add_sent();
      sent.set_process(peer);
      sent.set_events(departures[peer].size());
      SimTime first = departures[peer].front().key.time;
      transport::BatchWriter batch(welcome_.process());
      for (const Departure& departure : departures[peer]) {
        first = std::min(first, departure.key.time);
        batch.add(departure);
        if (batch.size() < kFrameSize) continue;
        if (const Result<void> done = send_batch(peer, batch); !done) return done;
      }
      sent.set_first_ns(to_ns(first));
      if (!batch.empty()) {
        if (const Result<void> done = send_batch(peer, batch); !done) return done;
      }
    }
    return {};
  }

  // Reads while the queue to the peer is full: the peer may be writing to us.
  Result<void> send_batch(std::uint32_t peer, transport::BatchWriter& batch) {
    const std::string frame = batch.take();
    while (peers_.at(peer).send_frame(frame) != FrameSocket::Sent::Yes) {
      if (take_batch(milliseconds(10))) continue;
      if (const Result<void> there = launcher_.still_there(); !there) return there;
    }
    return {};
  }

  [[nodiscard]] const transport::RunKeys* keys() const {
    return options_.keys ? &*options_.keys : nullptr;
  }

  WorkerOptions options_;
  zmq::context_t context_{1};
  std::optional<transport::Gatekeeper> gatekeeper_;
  LauncherLink launcher_;
  FrameSocket inbox_;
  std::vector<FrameSocket> peers_;  ///< by process; the own is never used

  wire::Welcome welcome_;
  plan::RunPlan plan_;
  Placement placement_;
  HostRegistry registry_ = all_host_kinds();
  FactsOfWindow facts_;
  std::unique_ptr<VirtualRuntime> runtime_;
  std::vector<std::uint64_t> accepted_;  ///< events of each peer, in all
  std::uint64_t unproved_peers_ = 0;     ///< at the last report
};

}  // namespace

Result<void> run_worker(const WorkerOptions& options) {
  return Worker(options).run();
}

}  // namespace troupe
