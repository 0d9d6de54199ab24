// What leaves a worker of a live run: written first, sent then.
//
// Hosts hand in what they did. One thread takes all there is, commits what was persisted in one
// transaction, writes the records of the inboxes, and only then lets anything leave the process:
// messages to peers, facts to the launcher. So whatever another process has ever seen of this one
// survives kill -9.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "emulator/live/inbox_journal.h"
#include "emulator/live/live_runtime.h"
#include "emulator/live/state_store.h"
#include "emulator/processes/live_worker.h"

namespace troupe {

class LiveEgress {
 public:
  LiveEgress(WorkerSeat& seat, live::StateStore& store, live::InboxJournal& journal)
      : seat_(seat), store_(store), journal_(journal), peer_states_(seat.peers.size()) {}

  /// Begins to send. `runtime` is asked how far it is.
  void begin(const live::LiveRuntime& runtime);
  /// The hosts of this process are there: from now on idle means idle.
  void hosts_are_there() { hosts_are_there_ = true; }
  /// By any thread.
  void take(live::HostOutput output);
  /// A peer died, or its successor is there at that endpoint.
  void peer_lost(const wire::PeerLost& lost);
  /// Sends what was taken, then that the run is over here and what the inbox had refused. The
  /// runtime must have stopped.
  void end(transport::Refused refused);
  /// A fault: from now on nothing can be written, or it can again.
  void set_disk_full(bool is_full) { disk_is_full_ = is_full; }
  /// Something could not be written, so nothing leaves any more: what no file knows must be known
  /// to nobody. unwritten() says what it was.
  [[nodiscard]] bool is_stuck() const { return is_stuck_; }
  /// In place of end(), of one that is stuck: no last word.
  void abandon();
  /// Nobody hears any more what is said.
  [[nodiscard]] bool launcher_is_gone() const { return launcher_is_gone_; }

  /// Empty, or what could not be written.
  [[nodiscard]] const std::string& unwritten() const { return unwritten_; }

 private:
  struct PeerState {
    bool lost = false;
    std::deque<std::string> waiting;  ///< while its queue is full
  };

  void work();
  /// Whether all of it is written.
  bool write(const std::vector<live::HostOutput>& outputs);
  void send(const std::vector<live::HostOutput>& outputs);
  void send_batches(const std::vector<live::HostOutput>& outputs);
  void send_facts(const std::vector<live::HostOutput>& outputs);
  void flush_waiting();
  void apply(const wire::PeerLost& lost);
  void say_progress(SimTime watermark);
  void say(const wire::Message& message);
  void note(const Result<void>& written);

  WorkerSeat& seat_;
  live::StateStore& store_;
  live::InboxJournal& journal_;
  const live::LiveRuntime* runtime_ = nullptr;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<live::HostOutput> taken_;
  std::vector<wire::PeerLost> lost_;
  bool ending_ = false;

  std::vector<PeerState> peer_states_;
  std::atomic<bool> hosts_are_there_{false};
  std::atomic<bool> launcher_is_gone_{false};
  std::atomic<bool> disk_is_full_{false};
  std::atomic<bool> is_stuck_{false};
  std::thread thread_;
  std::string unwritten_;
  std::uint64_t defects_ = 0;
  std::uint64_t transactions_ = 0;
  std::chrono::steady_clock::time_point progress_said_{};
};

}  // namespace troupe
