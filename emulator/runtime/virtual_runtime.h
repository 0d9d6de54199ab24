// Virtual time in one process: every delivery in one total order, time jumping from event to event.
//
//   VirtualRuntime runtime({.seed = 42}, registry);
//   runtime.start_host("apiserver/0", payload_of_host_start);
//   std::optional<Defect> defect = runtime.run_until(from_ns(...));
//
// The runtime owns time, order, latency, birth and death; the actors own every decision. Nothing
// here depends on how many processes there are or on which one a host lives in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulator/runtime/caf_stage.h"
#include "emulator/runtime/event_queue.h"
#include "emulator/runtime/handler_context.h"
#include "emulator/runtime/host.h"
#include "emulator/runtime/host_registry.h"
#include "emulator/runtime/latency_model.h"
#include "emulator/runtime/link_faults.h"
#include "emulator/runtime/observer.h"

namespace troupe {

struct RuntimeOptions {
  std::uint64_t seed = 1;
  LatencyModel::PerLink latencies = LatencyModel::defaults();
  /// Shuffles deliveries that are due at the same nanosecond, per channel and by seed.
  bool shuffle_ties = false;
  /// Faults of the network, and the hosts that they tell from those that a cloud launches.
  std::vector<fault::LinkRule> link_rules = {};
  std::unordered_set<std::uint64_t> listed_hosts = {};
  /// Facts of these kinds of payload are told to the director, over a link of fixed latency.
  std::set<std::uint64_t> watched_facts = {};
  Address director = {};
};

/// An actor of ours that broke the contract or threw. The run stops there.
struct Defect {
  std::string actor;
  std::string message;  ///< the type of the message in hand
  SimTime time;
  std::string what;
};

class VirtualRuntime {
 public:
  VirtualRuntime(RuntimeOptions options, const HostRegistry& registry);
  ~VirtualRuntime();

  /// `observer` must outlive the runtime.
  void add_observer(Observer& observer) { observers_.push_back(&observer); }

  /// Begins a host at `at`. `start` is a runtime::HostStart with the configuration attached.
  void start_host(const std::string& path, Payload start, SimTime at = kTimeZero);
  /// Crashes a host at `at`: its actors, timers and unread mail are gone. With `restart_after` it
  /// begins again that much later from its configuration and what it had persisted. A host that is
  /// not there then is left alone.
  void crash_host(const std::string& path, SimTime at, std::optional<Duration> restart_after);
  /// Sends a message of the runtime's own, as a fault does: it takes no latency and comes before
  /// all else of its time.
  void inject(const Address& to, Payload what, SimTime at);

  /// Tells the observers a fact of the runtime's own at `at`: that a fault was injected.
  void record_at(SimTime at, Payload fact);

  /// Runs every event that is due at `end` or before; then now() is `end`. Returns the defect that
  /// stopped it, if any.
  std::optional<Defect> run_until(SimTime end);

  [[nodiscard]] SimTime now() const { return now_; }
  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  [[nodiscard]] std::size_t live_actors() const { return cells_.size(); }
  [[nodiscard]] std::size_t pending_events() const { return queue_.size(); }
  /// The digest of all that happened so far.
  [[nodiscard]] Digest digest();

 private:
  // What a fault event does, carried beside the queue: faults address hosts, not actors.
  struct HostFault {
    std::string host;
    bool crash = false;  ///< else a restart
    std::optional<Duration> restart_after;
    Payload fact;  ///< instead of either: what observers are told
  };

  void step();
  void deliver(const PendingEvent& event);
  [[nodiscard]] Cell* find(const Address& to) const;
  void begin_host(const PendingEvent& event);
  void deliver_to_host(const PendingEvent& event);
  void refuse_or_drop(Host& host, const PendingEvent& event);
  void apply(const HostFault& fault);
  // virtual_runtime_faults.cpp
  bool befall(Host& host, const Delivery& delivery);
  void crash(Host& host, std::optional<Duration> restart_after);
  void tell_director(Cell& cell, const Payload& fact);
  std::optional<SimTime> travel(Cell& cell, const Effects::Send& send, const MessageName& name,
                                SimTime due);
  void begin_life(Host& host);
  void end_life(Host& host);
  Cell& add_cell(Host& host, Effects::Spawn birth);
  void remove_cell(Host& host, const std::string& path);
  void push_restored(const Host& host, const Cell& cell);
  void run_handler(Cell& cell, const Delivery* delivery);
  void run_births(Host& host, std::vector<Effects::Spawn> births);
  void commit(Cell& cell);
  void arm(Cell& cell, Effects::Timer timer);
  void post(Cell& cell, Effects::Send send);
  SimTime keep_stream_order(Cell& cell, std::uint64_t channel, SimTime due);
  void push_fault(SimTime at, const Address& to, Payload what);
  void record_fact(const std::string& actor, const Payload& fact);
  void fail(const std::string& actor, const std::string& message, const std::string& what);
  void count(Cell& cell);
  void checkpoint(SimTime upcoming);
  [[nodiscard]] std::uint64_t tie(std::uint64_t sender, std::uint64_t receiver, SimTime at) const;

  RuntimeOptions options_;
  const HostRegistry& registry_;
  LatencyModel latency_;
  LinkFaults link_faults_;
  CafStage stage_;
  EventQueue queue_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Host>, IdentityHash> hosts_;
  HashTable<Cell*> cells_;                                    ///< the living, by path hash
  std::unordered_map<std::uint64_t, HostFault> host_faults_;  ///< by the runtime's sequence
  std::vector<Observer*> observers_;

  SimTime now_{};
  OrderKey current_;                   ///< of the delivery in hand
  const Delivery* in_hand_ = nullptr;  ///< what the carrier shall run; null for start()
  Effects effects_;
  std::vector<std::uint64_t> record_;  ///< words for the chain of the handler in hand
  HandlerContext context_;
  std::optional<Defect> defect_;
  std::uint64_t runtime_sequence_ = 0;
  std::uint64_t delivered_ = 0;

  SimTime next_checkpoint_{std::chrono::seconds(1)};
  Digest digest_;
  std::vector<Cell*> touched_;  ///< living cells whose chain moved since they were counted
};

}  // namespace troupe
