// The worker processes of a run: started, met, heard, and seen to their end. The one place that
// spawns.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
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
  /// Is told in a line what happens: who is waited for, who joined. May be empty.
  std::function<void(const std::string&)> tell = {};
  /// Set from outside, as by a signal: nobody is waited for any more. May be null.
  const std::atomic<bool>* stop = nullptr;
};

/// A worker that has joined.
struct Member {
  std::string peer;      ///< who it is to the hub; empty: it left, and its place is free
  std::string name;      ///< "process 2 (pid 71 on gpu-test)"
  std::string endpoint;  ///< where its peers reach it; empty: it is not ready yet
  pid_t child = 0;       ///< of those that were started here
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

  [[nodiscard]] const std::vector<Member>& members() const { return members_; }

  void send(std::uint32_t process, const wire::Message& message);
  struct Heard {
    std::uint32_t process;
    wire::Message message;
  };
  /// The next message of any worker; nothing if none comes in a while. A worker that waits hears
  /// that the launcher is there.
  [[nodiscard]] std::optional<Heard> hear();
  /// Which worker is gone and how, if one is: "process 2 (pid 71 on a): killed by signal 9".
  [[nodiscard]] std::optional<std::string> loss();
  /// Counts a message of that worker that makes no sense.
  void refuse_message() { hub_.refuse(transport::Refusal::Nonsense); }
  /// What was refused where the workers dial in.
  [[nodiscard]] transport::Refused refused() { return hub_.refused(); }
  /// A line for whoever started the run.
  void tell(const std::string& line) const {
    if (options_.tell) options_.tell(line);
  }

 private:
  explicit Crew(CrewOptions options);

  Result<void> listen();
  Result<void> spawn();
  Result<void> meet(const plan::RunPlan& plan);
  void hear_newcomer(const transport::Received& received, const std::string& plan);
  void admit(const transport::Received& received, const std::string& plan);
  void welcome(std::uint32_t process, const std::string& peer, const std::string& plan);
  void make_ready(std::uint32_t process, const std::string& endpoint);
  void tell_of_missing();
  void refuse(const std::string& peer, const std::string& why);
  [[nodiscard]] std::vector<Member>::iterator find(const std::string& peer);
  void ping();
  void tell_of_refused();
  [[nodiscard]] const transport::RunKeys* keys() const {
    return options_.keys ? &*options_.keys : nullptr;
  }

  CrewOptions options_;
  std::uint64_t build_;
  std::optional<SocketFolder> folder_;
  zmq::context_t context_{1};
  std::optional<transport::Gatekeeper> gatekeeper_;
  transport::FrameSocket hub_;
  std::string endpoint_;
  std::vector<Member> members_;
  std::vector<ChildProcess> children_;
  std::optional<std::string> lost_;
  bool assembled_ = false;
  std::chrono::steady_clock::time_point pinged_{};
  std::uint64_t refused_peers_ = 0;  ///< at the last ping
  std::uint64_t told_refused_ = 0;
};

}  // namespace troupe
