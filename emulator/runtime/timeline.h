// A run in virtual time as those see it who start it: in this process alone or over many, it is
// fed, run and watched in the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/runtime/digest.h"
#include "emulator/runtime/observer.h"
#include "messages/address.h"
#include "messages/payload.h"
#include "messages/sim_time.h"

namespace troupe {

/// An actor of ours that broke the contract or threw, or a process that died. The run stops there.
struct Defect {
  std::string actor;
  std::string message;  ///< the type of the message in hand
  SimTime time;
  std::string what;
};

/// A process that runs a part of a run's hosts.
struct WorkerState {
  std::string who;    ///< "process 2 (pid 71 on gpu-test)"
  std::string state;  ///< "running", "paused", "away"
};

class Timeline {
 public:
  virtual ~Timeline() = default;

  /// `observer` must outlive the run.
  virtual void add_observer(Observer& observer) = 0;

  /// Sends a message of the runtime's own, as a fault does: it takes no latency and comes before
  /// all else of its time. A runtime::HostStart, HostCrash or RecordFact is for the runtime itself.
  virtual void inject(const Address& to, Payload what, SimTime at) = 0;
  /// Begins a host at `at`. `start` is a runtime::HostStart with the configuration attached.
  void start_host(const std::string& path, Payload start, SimTime at = kTimeZero);
  /// Crashes a host at `at`: its actors, timers and unread mail are gone. With `restart_after` it
  /// begins again that much later from its configuration and what it had persisted. A host that is
  /// not there then is left alone.
  void crash_host(const std::string& path, SimTime at, std::optional<Duration> restart_after);
  /// Tells the observers a fact of the runtime's own at `at`: that a fault was injected.
  void record_at(SimTime at, Payload fact);

  /// Runs every event that is due at `end` or before; then now() is `end`. Returns the defect that
  /// stopped it, if any.
  std::optional<Defect> run_until(SimTime end);
  /// The same, but no observer is told that the run stands still: it goes on. Where a worker of a
  /// live run holds it up, it returns before it is there.
  virtual std::optional<Defect> advance(SimTime end) = 0;
  /// When the next event is due, if any.
  [[nodiscard]] virtual std::optional<SimTime> next_event() const = 0;
  /// Of a run that has a clock of its own: from now on so many virtual seconds pass in a second; as
  /// many as it bears if none is said. False where time goes as fast as it is asked to.
  virtual bool set_own_speed(std::optional<double>) { return false; }
  /// While nothing is run for long: tells those who take part that they still do.
  virtual void keep_alive() {}

  /// By their numbers; none where there is one process alone.
  [[nodiscard]] virtual std::vector<WorkerState> workers() const { return {}; }

  [[nodiscard]] virtual SimTime now() const = 0;
  [[nodiscard]] virtual std::uint64_t delivered() const = 0;
  /// The digest of all that happened so far.
  [[nodiscard]] virtual Digest digest() = 0;

 protected:
  /// Tells the observers what the run came to at `end`.
  virtual void tell_standstill(SimTime end) = 0;
};

}  // namespace troupe
