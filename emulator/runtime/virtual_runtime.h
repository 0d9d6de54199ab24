// Virtual time: every delivery in one total order, time jumping from event to event.
//
//   VirtualRuntime runtime({.seed = 42}, registry);
//   runtime.start_host("apiserver/0", payload_of_host_start);
//   std::optional<Defect> defect = runtime.run_until(from_ns(...));
//
// The runtime owns time, order, latency, birth and death; the actors own every decision. Of a run
// over many processes it runs the hosts of one: what its actors send to other processes waits in
// the outbox, what reaches them from there is accepted, and run_before() goes no further than it is
// safe. Who sits in which process changes no key, no latency and no digest.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
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
#include "emulator/runtime/placement.h"
#include "emulator/runtime/timeline.h"
#include "messages/runtime.pb.h"

namespace troupe {

/// What a plan says of faults that no actor could bring about.
struct FaultOptions {
  /// Faults of the network, and the hosts that they tell from those that a cloud launches.
  std::vector<fault::LinkRule> link_rules = {};
  std::unordered_set<std::uint64_t> listed_hosts = {};
  /// Who is told of facts of which kinds of payload, over a link of fixed latency.
  struct Ear {
    Address director;
    std::set<std::uint64_t> facts;
  };
  std::vector<Ear> ears = {};
};

/// The kind of payload that a fact of messages/facts.proto has, by its name.
[[nodiscard]] std::uint64_t kind_of_fact(const std::string& name);

struct RuntimeOptions {
  std::uint64_t seed = 1;
  LatencyModel::PerLink latencies = LatencyModel::defaults();
  /// Shuffles deliveries that are due at the same nanosecond, per channel and by seed.
  bool shuffle_ties = false;
  /// Faults of the network, and what the director is told.
  FaultOptions faults = {};
  /// Of a run over many processes: where hosts are, and which of them this is.
  Placement placement = {};
  std::uint32_t process = 0;
  /// What a message to another process takes at least: asserted of each.
  Duration lookahead{0};
  /// Who runs it keeps the queue: all that actors send and all their timers are departures, and
  /// events are handled one by one. As in a live run, where time is the clock's.
  bool queue_outside = false;
  /// Counts the processes that ran a host one after the other, so that no id of an actor comes
  /// twice: lives and incarnations begin above `epoch` * kLivesPerEpoch.
  std::uint32_t epoch = 0;
  /// Set from outside, as by a signal: run_until returns early. May be null.
  const std::atomic<bool>* stop = nullptr;
};

inline constexpr std::uint32_t kLivesPerEpoch = 1U << 20;

/// What one event came to, where the queue is outside.
struct Handled {
  bool happened = false;      ///< false: a cancelled timer, mail to nobody
  std::uint64_t emitted = 0;  ///< a hash over all that handlers emitted
};

/// A message that is due in another process.
struct Departure {
  OrderKey key;
  PendingEvent event;
};

class VirtualRuntime final : public Timeline {
 public:
  VirtualRuntime(RuntimeOptions options, const HostRegistry& registry);
  ~VirtualRuntime() override;

  void add_observer(Observer& observer) override { observers_.push_back(&observer); }
  void inject(const Address& to, Payload what, SimTime at) override;
  std::optional<Defect> advance(SimTime end) override;
  [[nodiscard]] std::optional<SimTime> next_event() const override;

  // ---- where the queue is outside ----
  /// What the host's actors had persisted in an earlier process: by path, by key. Before it begins.
  void restore(const std::string& host,
               std::map<std::string, std::map<std::string, std::string>> persisted);
  /// Delivers one event, at its key's time, which must not be before now().
  Handled handle(const OrderKey& key, PendingEvent event);
  /// The path of a living actor; empty if none lives there.
  [[nodiscard]] std::string path_of(const Address& actor) const;
  /// Takes all that became due since the last call.
  [[nodiscard]] std::vector<Departure> take_outgoing();
  /// Takes the defect that the last event ended in, if it did; none of its effects happened.
  [[nodiscard]] std::optional<Defect> take_defect();
  /// Of the last event handled: what was persisted, to be kept outside.
  struct Kept {
    std::string actor;
    std::string key;
    std::string bytes;  ///< empty: erased
  };
  [[nodiscard]] std::vector<Kept> take_kept();

  // ---- of a run over many processes ----
  /// Runs every event that is due before `end`.
  std::optional<Defect> run_before(SimTime end);
  /// The key of the delivery that is, or was last, in hand.
  [[nodiscard]] const OrderKey& current() const { return current_; }
  /// Takes what another process sent; it must not be due before now().
  void accept(const OrderKey& key, PendingEvent event);
  /// Hands over what is due in other processes, by process.
  [[nodiscard]] std::vector<std::vector<Departure>> take_departures();

  [[nodiscard]] SimTime now() const override { return now_; }
  [[nodiscard]] std::uint64_t delivered() const override { return delivered_; }
  [[nodiscard]] std::size_t live_actors() const { return cells_.size(); }
  [[nodiscard]] std::size_t pending_events() const { return queue_.size(); }
  /// The digest of all that happened so far.
  [[nodiscard]] Digest digest() override;

 private:
  void tell_standstill(SimTime end) override;
  void step();
  void deliver(const PendingEvent& event);
  [[nodiscard]] Cell* find(const Address& to) const;
  [[nodiscard]] Host& slot_of(const std::string& name);
  void begin_host(const PendingEvent& event);
  void deliver_to_host(const PendingEvent& event);
  void refuse_or_drop(Host& host, const PendingEvent& event);
  bool apply_fault(const PendingEvent& event);
  void crash(Host& host, const runtime::HostCrash& crash);
  // virtual_runtime_faults.cpp
  bool befall(Host& host, const Delivery& delivery);
  void shut_down(Host& host, const runtime::HostCrash& end);
  void open_link(Host& host, const fault::OpenLink& link);
  void tell_directors(Cell& cell, const Payload& fact);
  void take_rules(const fault::TakeRules& rules);
  void release_held(Host& host, std::uint32_t rule);
  std::optional<SimTime> travel(Cell& cell, const Effects::Send& send, const MessageName& name,
                                SimTime due);
  void begin_life(Host& host);
  void end_life(Host& host);
  Cell& add_cell(Host& host, Effects::Spawn birth);
  void remove_cell(Host& host, const std::string& path);
  [[nodiscard]] static bool lived_before(const Host& host, const Cell& cell);
  void push_restored(Host& host, const Cell& cell);
  void run_handler(Cell& cell, const Delivery* delivery);
  void run_births(Host& host, std::vector<Effects::Spawn> births);
  void commit(Cell& cell);
  void arm(Cell& cell, Effects::Timer timer);
  void post(Cell& cell, Effects::Send send);
  SimTime keep_stream_order(Cell& cell, std::uint64_t channel, SimTime due);
  void push(const OrderKey& key, PendingEvent event);
  [[nodiscard]] static OrderKey key_of_host(Host& host, SimTime at, EventClass event_class);
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
  HashTable<Cell*> cells_;                          ///< the living, by path hash
  std::vector<std::vector<Departure>> departures_;  ///< by process
  std::vector<Kept> kept_;
  std::uint64_t emitted_ = 0;  ///< of the event in hand, where the queue is outside
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
