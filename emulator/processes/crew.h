// The worker processes of a run: started, met, heard, and seen to their end. The one place that
// spawns.
#pragma once

#include <array>
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
#include "messages/plan.pb.h"
#include "messages/result.h"
#include "messages/sim_time.h"

namespace troupe {

struct CrewOptions {
  std::uint32_t processes = 1;  ///< workers that the run needs
  std::uint32_t spawned = 1;    ///< of them, those that are started here; the others dial in
  /// Where workers dial in; empty: a socket of this machine.
  std::string listen = {};
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
  std::string peer;      ///< who it is to the hub
  std::string name;      ///< "process 2 (pid 71 on gpu-test)"
  std::string endpoint;  ///< where its peers reach it
};

class Crew {
 public:
  /// Waits until every worker has joined, has the plan and knows its peers. Fails where one that
  /// was spawned dies before, or `stop` is set.
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
  /// How many frames were refused, by transport::Refusal.
  [[nodiscard]] const std::array<std::uint64_t, transport::kRefusals>& refused() const {
    return hub_.refused();
  }

  /// Tells every member, at most once a second, that its launcher still lives.
  void ping();

 private:
  explicit Crew(CrewOptions options);

  Result<void> listen();
  Result<void> spawn();
  Result<void> meet(const plan::RunPlan& plan);
  void admit(const transport::Received& received, const plan::RunPlan& plan);
  void refuse(const std::string& peer, const std::string& why);
  [[nodiscard]] std::vector<Member>::iterator find(const std::string& peer);

  CrewOptions options_;
  std::uint64_t build_;
  std::optional<SocketFolder> folder_;
  zmq::context_t context_{1};
  transport::FrameSocket hub_;
  std::string endpoint_;
  std::vector<Member> members_;
  std::vector<ChildProcess> children_;
  std::optional<std::string> lost_;
  std::chrono::steady_clock::time_point pinged_{};
};

}  // namespace troupe
