// The worker processes of a run: started, met, heard, replaced, and seen to their end. The one
// place that spawns.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <zmq.hpp>

#include "emulator/processes/child_process.h"
#include "emulator/processes/socket_folder.h"
#include "emulator/transport/frame_socket.h"
#include "emulator/transport/gatekeeper.h"
#include "messages/plan.pb.h"
#include "messages/result.h"
#include "messages/sim_time.h"

namespace troupe {

struct CrewOptions {
  std::uint32_t processes = 1;  ///< workers that the run needs
  std::uint32_t spawned = 1;    ///< of them, those that are started here; the others dial in
  /// Where workers dial in; empty: a socket of this machine.
  std::string listen = {};
  /// Of a run over a network: its keys, and the file in which those that are started here find
  /// them.
  std::optional<transport::RunKeys> keys = {};
  std::string keys_file = {};
  /// The program that workers run: this one.
  std::string program = "/proc/self/exe";
  Duration lookahead{0};
  /// Of a live run: the run's folder, for journals and what must survive a worker. Empty: virtual
  /// time.
  std::string live_directory = {};
  /// Is told in a line what happens: who is waited for, who joined, who is gone. May be empty.
  std::function<void(const std::string&)> tell = {};
  /// Set from outside, as by a signal: nobody is waited for any more. May be null.
  const std::atomic<bool>* stop = nullptr;
};

class Crew {
 public:
  /// Waits until every worker has joined, has the plan and knows its peers. One that dialled in and
  /// leaves again makes room for another. Fails where one that was started here dies, or `stop` is
  /// set.
  [[nodiscard]] static Result<std::unique_ptr<Crew>> assemble(const plan::RunPlan& plan,
                                                              const CrewOptions& options);
  /// Tells those that are left that the run is over, and sees them end.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  [[nodiscard]] std::uint32_t size() const { return options_.processes; }
  /// "process 2 (pid 71 on gpu-test)"
  [[nodiscard]] const std::string& name(std::uint32_t process) const {
    return members_.at(process).name;
  }
  [[nodiscard]] const std::string& endpoint(std::uint32_t process) const {
    return members_.at(process).endpoint;
  }

  /// What is sent to a worker that is gone vanishes.
  void send(std::uint32_t process, const wire::Message& message);
  struct Heard {
    std::uint32_t process;
    wire::Message message;  ///< `joined`: the process is there, and knows its peers
  };
  /// The next message of any worker that has joined; nothing if none comes in so long. A worker
  /// that waits hears that the launcher is there.
  [[nodiscard]] std::optional<Heard> hear(std::chrono::milliseconds patience);

  struct Loss {
    std::optional<std::uint32_t> process;  ///< none: it had not joined yet
    std::string how;                       ///< "process 2 (pid 71 on a): killed by signal 9"
  };
  /// A worker that is gone, said once.
  [[nodiscard]] std::optional<Loss> loss();
  /// Starts a successor of a worker that is gone, or waits for one to dial in where that one had;
  /// it is there once `joined` is heard of it.
  [[nodiscard]] Result<void> replace(std::uint32_t process);

  // ---- faults of a live run ----
  /// Whether a worker is there that this launcher started: others are out of reach of its signals.
  [[nodiscard]] bool started_here(std::uint32_t process) const {
    return members_.at(process).child != 0;
  }
  void signal(std::uint32_t process, int what);
  /// The disk of that place has no room left, or has room again: for who is there and who succeeds.
  void fill_disk(std::uint32_t process, bool is_full);

  /// Counts a message of a worker that makes no sense.
  void refuse_message() { hub_.refuse(transport::Refusal::Nonsense); }
  /// What was refused where the workers dial in.
  [[nodiscard]] transport::Refused refused() { return hub_.refused(); }

  /// Tells every member, at most once a second, that its launcher still lives.
  void ping();
  /// A line for whoever started the run.
  void tell(const std::string& line) const {
    if (options_.tell) options_.tell(line);
  }

 private:
  struct Member {
    std::string peer;  ///< who it is to the hub; empty: nobody is there
    std::string name;
    std::string endpoint;     ///< where its peers reach it; empty: it has not joined
    pid_t child = 0;          ///< of those that were started here
    bool dialled_in = false;  ///< who is there, or was there last
    std::string gone;         ///< how it is gone, until that was said
    std::uint32_t epoch = 0;  ///< how many were in this place before
    bool disk_is_full = false;
    std::optional<transport::FrameSocket> inbox;  ///< of a live run
  };

  Crew(const plan::RunPlan& plan, CrewOptions options);

  Result<void> listen();
  Result<void> spawn();
  Result<void> meet();
  void admit(const transport::Received& received);
  void welcome(const Member& member);
  /// Whether its peers can reach it there.
  bool join(Member& member, const std::string& endpoint);
  void introduce(Member& member);
  void refuse(const std::string& peer, const std::string& why);
  void leave(Member& member, const std::string& why);
  Loss vacate(Member& member, const std::string& how);
  /// How a worker dials in.
  [[nodiscard]] std::string invitation() const;
  void tell_of_missing() const;
  void tell_of_refused();
  [[nodiscard]] bool is_live() const { return !options_.live_directory.empty(); }
  [[nodiscard]] std::uint32_t place_of(const Member& member) const {
    return static_cast<std::uint32_t>(&member - members_.data());
  }
  Member* find(const std::string& peer);
  transport::FrameSocket::Sent try_send(Member& member, const wire::Message& message);
  [[nodiscard]] const transport::RunKeys* keys() const {
    return options_.keys ? &*options_.keys : nullptr;
  }

  CrewOptions options_;
  std::string plan_;  ///< serialised
  std::uint64_t build_;
  std::optional<SocketFolder> folder_;
  zmq::context_t context_{1};
  std::optional<transport::Gatekeeper> gatekeeper_;
  transport::FrameSocket hub_;
  std::string endpoint_;
  std::vector<Member> members_;
  std::vector<ChildProcess> children_;
  bool assembled_ = false;
  std::chrono::steady_clock::time_point pinged_{};
  std::uint64_t refused_peers_ = 0;  ///< at the last ping
  std::uint64_t told_refused_ = 0;
};

}  // namespace troupe
