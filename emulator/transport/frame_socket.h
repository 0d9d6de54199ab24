// A ZeroMQ socket that speaks in frames. Whatever else reaches it is refused and counted.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "emulator/transport/frame.h"
#include "messages/result.h"

namespace zmq {
class context_t;
}

namespace troupe::transport {

/// The four roles that the processes of a run need.
enum class Role : std::uint8_t {
  Hub,     ///< bound; knows its peers apart by who they are
  Spoke,   ///< speaks with one hub
  Inbox,   ///< bound; many write to it
  Outbox,  ///< writes to one inbox
};

struct Received {
  std::string from;  ///< of a hub's peers; empty else
  wire::Message message;
};

class FrameSocket {
 public:
  FrameSocket(zmq::context_t& context, Role role);
  ~FrameSocket();
  FrameSocket(FrameSocket&&) noexcept;
  FrameSocket& operator=(FrameSocket&&) noexcept;

  /// Fails on an endpoint that cannot be bound or is none. Returns the endpoint as others reach it.
  [[nodiscard]] Result<std::string> bind(const std::string& endpoint);
  [[nodiscard]] Result<void> connect(const std::string& endpoint);

  enum class Sent : std::uint8_t {
    Yes,
    Full,  ///< the queue to that peer is at its bound: try again
    Gone,  ///< a hub's peer that is not connected any more
  };
  /// Never blocks. `to` is a peer of a hub, empty else.
  Sent send(const wire::Message& message, const std::string& to = {});
  /// The next message, waiting for it up to that long; nothing sooner if what came was refused.
  [[nodiscard]] std::optional<Received> receive(std::chrono::milliseconds patience);

  /// How many frames were refused, by Refusal.
  [[nodiscard]] const std::array<std::uint64_t, kRefusals>& refused() const { return refused_; }

 private:
  struct Socket;
  std::unique_ptr<Socket> socket_;
  Role role_;
  std::array<std::uint64_t, kRefusals> refused_{};
};

}  // namespace troupe::transport
