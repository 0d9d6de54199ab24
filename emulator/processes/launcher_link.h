// A worker's connection to its launcher: what it hears and says there, and how it notices that
// nobody is left.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "emulator/transport/frame_socket.h"
#include "messages/result.h"
#include "messages/wire.pb.h"

namespace troupe {

class LauncherLink {
 public:
  LauncherLink(zmq::context_t& context, std::string endpoint, const transport::RunKeys* keys);

  /// Says hello and waits so long for an answer, whatever it is: the launcher may not be up yet.
  /// Fails where nobody answers, or whoever is there does not take the keys.
  [[nodiscard]] Result<wire::Message> greet(const wire::Message& hello,
                                            std::chrono::milliseconds patience);

  void say(const wire::Message& message);
  /// The next message but pings. Fails where the launcher is gone.
  [[nodiscard]] Result<wire::Message> hear();
  /// While a window waits for peers: the launcher may have ended the run since one of them died.
  [[nodiscard]] Result<void> still_there();
  /// For whoever takes over the conversation.
  [[nodiscard]] transport::FrameSocket& socket() { return socket_; }
  /// Counts a message that makes no sense.
  void refuse_message() { socket_.refuse(transport::Refusal::Nonsense); }
  [[nodiscard]] transport::Refused refused() { return socket_.refused(); }

 private:
  [[nodiscard]] Result<void> check_alive();

  std::string endpoint_;
  transport::FrameSocket socket_;
  std::chrono::steady_clock::time_point heard_;
  std::deque<wire::Message> kept_;  ///< that came while a window waited for its peers
};

}  // namespace troupe
