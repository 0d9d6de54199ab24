// A live run's part in one process: its hosts on CAF's work-stealing scheduler, against the scaled
// wall clock.
//
// Latencies come from the same models as in virtual time; what differs is who decides when. An
// event that is due is delivered as soon as a thread is free and is stamped max(due, clock, the
// host's last stamp + 1 ns). Each host's events have one order, the host's own, and that order is
// what a replay needs: every handled event goes out as a record, together with all that it caused,
// so that whoever takes it can write first and send then.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "emulator/live/lateness.h"
#include "emulator/live/live_clock.h"
#include "emulator/live/state_store.h"
#include "emulator/runtime/caf_pool.h"
#include "emulator/runtime/host_registry.h"
#include "emulator/runtime/placement.h"
#include "emulator/runtime/virtual_runtime.h"
#include "messages/inbox.pb.h"
#include "messages/journal.pb.h"

namespace troupe::live {

struct LiveOptions {
  std::uint64_t seed = 1;
  LatencyModel::PerLink latencies = LatencyModel::defaults();
  FaultOptions faults = {};
  Placement placement = {};
  std::uint32_t process = 0;
  std::uint32_t epoch = 0;  ///< how many processes had this one's place before
  SimTime end{};            ///< nothing is delivered after it
};

/// What a host did in one go, in its order.
struct HostOutput {
  std::vector<inbox::Record> records;
  std::vector<StateStore::Begun> begun;
  std::vector<StateStore::Write> writes;
  std::vector<Departure> departures;  ///< to hosts of other processes
  std::vector<journal::Fact> facts;
  std::uint64_t defects = 0;
};

class LiveRuntime {
 public:
  /// `take` is called by many threads, for one host by one at a time and in its order; a host's
  /// events of this process are delivered to the others after it has returned.
  LiveRuntime(LiveOptions options, const HostRegistry& registry, LiveClock& clock,
              std::function<void(HostOutput)> take);
  ~LiveRuntime();
  LiveRuntime(const LiveRuntime&) = delete;
  LiveRuntime& operator=(const LiveRuntime&) = delete;

  /// Takes up a host of this process, with what its actors persisted before.
  void take_up(const StateStore::Host& host);
  /// An event for a host of this process. Mail to a host that is not there vanishes.
  void deliver(const OrderKey& key, PendingEvent event);
  /// Rules of the network that were given by hand: an event of every host that is there, and of
  /// each that comes later, before its birth.
  void take_rules(const OrderKey& key, const Payload& rules);
  /// The clock was set anew.
  void clock_changed();
  /// Every delivery before it has been taken by `take`.
  [[nodiscard]] SimTime watermark() const;
  /// Nothing is due, nothing runs.
  [[nodiscard]] bool idle() const;
  [[nodiscard]] LatenessByClass lateness() const;
  /// Nothing is delivered any more once it has returned.
  void stop();

 private:
  struct LiveHost;
  struct Waking {
    SimTime time;
    LiveHost* host;
    bool operator>(const Waking& other) const { return time > other.time; }
  };

  LiveHost& host_of(const std::string& path);
  [[nodiscard]] LiveHost* find(std::uint64_t host) const;
  void run(LiveHost& host);
  void run_event(LiveHost& host, const OrderKey& due, PendingEvent event, HostOutput& output);
  void wake_at_latest(SimTime time, LiveHost& host);
  void wake_at(SimTime time, LiveHost& host);
  void keep_time();

  LiveOptions options_;
  const HostRegistry& registry_;
  LiveClock& clock_;
  std::function<void(HostOutput)> take_;
  std::atomic<bool> stopping_{false};

  mutable std::mutex hosts_mutex_;
  std::unordered_map<std::uint64_t, std::unique_ptr<LiveHost>> hosts_;  ///< looked up, summed
  std::vector<std::pair<OrderKey, Payload>> rules_;

  std::mutex waking_mutex_;
  std::condition_variable waking_changed_;
  std::priority_queue<Waking, std::vector<Waking>, std::greater<>> wakings_;
  std::thread timekeeper_;
  CafPool pool_;
};

}  // namespace troupe::live
