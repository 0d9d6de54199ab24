#include "emulator/processes/window_worker.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <zmq.hpp>

#include "emulator/journal/fact_message.h"
#include "emulator/processes/build_id.h"
#include "emulator/processes/host_kinds.h"
#include "emulator/processes/live_worker.h"
#include "emulator/processes/load_plan.h"
#include "emulator/processes/socket_folder.h"
#include "emulator/runtime/order_key_message.h"
#include "emulator/transport/event_codec.h"
#include "emulator/transport/frame_socket.h"
#include "messages/envelope.h"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using transport::FrameSocket;
using transport::Role;

// A launcher that says nothing for so long is gone: it pings each second.
constexpr auto kSilence = seconds(20);
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
      : options_(options), launcher_(context_, Role::Spoke), inbox_(context_, Role::Inbox) {}

  Result<void> run() {
    if (const Result<void> connected = launcher_.connect(options_.launcher); !connected) {
      return connected;
    }
    if (const Result<void> joined = join(); !joined) return joined;
    if (welcome_.has_live()) {
      return run_live_worker({context_, launcher_, inbox_, peers_, plan_, welcome_});
    }
    begin();
    while (true) {
      const Result<wire::Message> message = hear();
      if (!message) return tl::unexpected(message.error());
      if (message->has_finish()) return {};
      if (message->has_fault()) {
        inject(message->fault());
      } else if (message->has_grant()) {
        if (const Result<void> ran = run_window(message->grant()); !ran) return ran;
      }
    }
  }

 private:
  // ---- joining ----
  Result<void> join() {
    say(hello());
    const Result<wire::Message> answer = hear();
    if (!answer) return tl::unexpected(answer.error());
    if (answer->has_refused()) return fail("the launcher refuses: " + answer->refused().why());
    if (!answer->has_welcome()) return fail("the launcher speaks out of turn");
    welcome_ = answer->welcome();
    if (options_.sockets_in && !welcome_.folder().empty()) options_.sockets_in(welcome_.folder());
    if (const Result<void> read = read_plan(); !read) return read;
    return meet_peers();
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
      const Result<wire::Message> message = hear();
      if (!message) return tl::unexpected(message.error());
      if (!message->has_plan_part()) return fail("expected the plan of the run");
      bytes += message->plan_part().part();
      last = message->plan_part().last();
    }
    if (!plan_.ParseFromString(bytes)) return fail("the plan of the run does not parse");
    return {};
  }

  Result<void> meet_peers() {
    const std::string wanted =
        "ipc://" + welcome_.folder() + "/worker-" + std::to_string(welcome_.process());
    Result<std::string> endpoint = inbox_.bind(wanted);
    if (!endpoint) return tl::unexpected(endpoint.error());
    wire::Message joined;
    joined.mutable_joined()->set_endpoint(*endpoint);
    say(joined);
    const Result<wire::Message> message = hear();
    if (!message) return tl::unexpected(message.error());
    if (!message->has_peers()) return fail("expected the endpoints of the other workers");
    for (const std::string& peer : message->peers().endpoints()) {
      peers_.emplace_back(context_, Role::Outbox);
      if (peer == *endpoint) continue;
      if (const Result<void> connected = peers_.back().connect(peer); !connected) {
        return connected;
      }
    }
    return {};
  }

  void begin() {
    RuntimeOptions options{
        .seed = plan_.seed(), .latencies = latencies_of(plan_), .faults = faults_of(plan_)};
    options.placement = Placement(plan_.placement(), welcome_.processes());
    options.process = welcome_.process();
    options.lookahead = Duration(welcome_.lookahead_ns());
    accepted_.resize(welcome_.processes());
    runtime_ = std::make_unique<VirtualRuntime>(std::move(options), registry_);
    runtime_->add_observer(facts_);
    load_plan(plan_, *runtime_);
    wire::Message report;
    fill_report(*report.mutable_report());
    say(report);
  }

  // ---- windows ----
  void inject(const wire::Fault& fault) {
    Result<Payload> payload = from_envelope(fault.message());
    if (!payload) return;  // from our own launcher, of the same build
    runtime_->inject(transport::from_wire(fault.to()), *std::move(payload), from_ns(fault.at_ns()));
  }

  Result<void> run_window(const wire::Grant& grant) {
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
    for (const wire::Message& facts : facts_.take()) say(facts);
    fill_report(report);
    say(message);
    return {};
  }

  void fill_report(wire::Report& report) {
    if (const auto next = runtime_->next_event()) report.set_next_ns(to_ns(*next));
    report.set_delivered(runtime_->delivered());
  }

  // Takes what peers sent until it was so much of that one, in all.
  Result<void> accept(std::uint32_t peer, std::uint64_t total) {
    while (accepted_.at(peer) < total) {
      if (take_batch(milliseconds(200))) continue;
      if (const Result<void> there = still_there(); !there) return there;
    }
    return {};
  }

  bool take_batch(milliseconds patience) {
    std::optional<transport::Received> received = inbox_.receive(patience);
    if (!received || !received->message.has_batch()) return false;
    const wire::Batch& batch = received->message.batch();
    if (batch.from() >= accepted_.size()) return false;
    for (const wire::Event& event : batch.events()) {
      Result<Departure> arrival = transport::from_wire(event);
      if (arrival) runtime_->accept(arrival->key, std::move(arrival->event));
    }
    accepted_[batch.from()] += static_cast<std::uint64_t>(batch.events_size());
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
      wire::Message batch;
      std::size_t size = 0;
      for (const Departure& departure : departures[peer]) {
        first = std::min(first, departure.key.time);
        wire::Event event = transport::to_wire(departure);
        size += event.ByteSizeLong();
        batch.mutable_batch()->set_from(welcome_.process());
        *batch.mutable_batch()->add_events() = std::move(event);
        if (size < kFrameSize) continue;
        if (const Result<void> done = send_batch(peer, batch); !done) return done;
        batch.Clear();
        size = 0;
      }
      sent.set_first_ns(to_ns(first));
      if (batch.has_batch()) {
        if (const Result<void> done = send_batch(peer, batch); !done) return done;
      }
    }
    return {};
  }

  // Reads while the queue to the peer is full: the peer may be writing to us.
  Result<void> send_batch(std::uint32_t peer, const wire::Message& batch) {
    while (peers_.at(peer).send(batch) != FrameSocket::Sent::Yes) {
      if (take_batch(milliseconds(10))) continue;
      if (const Result<void> there = still_there(); !there) return there;
    }
    return {};
  }

  // ---- the launcher ----
  void say(const wire::Message& message) {
    while (launcher_.send(message) == FrameSocket::Sent::Full) {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

  // The next message but pings; those that came while a window waited for its peers come first.
  Result<wire::Message> hear() {
    if (!kept_.empty()) {
      wire::Message message = std::move(kept_.front());
      kept_.erase(kept_.begin());
      return message;
    }
    while (true) {
      std::optional<transport::Received> received = launcher_.receive(milliseconds(500));
      if (received) {
        heard_ = std::chrono::steady_clock::now();
        if (!received->message.has_ping()) return std::move(received->message);
      } else if (std::chrono::steady_clock::now() - heard_ > kSilence) {
        return fail("the launcher has fallen silent", options_.launcher);
      }
    }
  }

  // While a window waits for peers: the launcher may have ended the run since one of them died.
  Result<void> still_there() {
    std::optional<transport::Received> received = launcher_.receive(milliseconds(0));
    if (received) {
      heard_ = std::chrono::steady_clock::now();
      if (received->message.has_finish()) return fail("the run ended in the middle of a window");
      if (!received->message.has_ping()) kept_.push_back(std::move(received->message));
    } else if (std::chrono::steady_clock::now() - heard_ > kSilence) {
      return fail("the launcher has fallen silent", options_.launcher);
    }
    return {};
  }

  WorkerOptions options_;
  zmq::context_t context_{1};
  FrameSocket launcher_;
  FrameSocket inbox_;
  std::vector<FrameSocket> peers_;  ///< by process; the own is never used
  std::chrono::steady_clock::time_point heard_ = std::chrono::steady_clock::now();
  std::vector<wire::Message> kept_;

  wire::Welcome welcome_;
  plan::RunPlan plan_;
  HostRegistry registry_ = all_host_kinds();
  FactsOfWindow facts_;
  std::unique_ptr<VirtualRuntime> runtime_;
  std::vector<std::uint64_t> accepted_;  ///< events of each peer, in all
};

}  // namespace

Result<void> run_worker(const WorkerOptions& options) {
  return Worker(options).run();
}

}  // namespace troupe
