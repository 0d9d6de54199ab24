// A ZeroMQ socket that speaks in frames. Whatever else reaches it is refused and counted.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/transport/event_batch.h"
#include "emulator/transport/frame.h"
#include "emulator/transport/run_keys.h"
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
  std::string from;       ///< of a hub's peers; empty else
  wire::Message message;  ///< without its events where it is a batch
  std::optional<ReceivedBatch> batch = std::nullopt;
  std::string address = {};  ///< of the peer, where it came over a network
};

/// What was not let in.
struct Refused {
  std::array<std::uint64_t, kRefusals> frames{};  ///< by Refusal
  /// Connections that ended before the peer had proved that it holds the keys; one that tries again
  /// counts again.
  std::uint64_t peers = 0;

  Refused& operator+=(const Refused& other);
  friend bool operator==(const Refused&, const Refused&) = default;
};

class FrameSocket {
 public:
  /// With keys the socket speaks with those only that hold them; the context has a Gatekeeper then.
  FrameSocket(zmq::context_t& context, Role role, const RunKeys* keys = nullptr);
  ~FrameSocket();
  FrameSocket(FrameSocket&&) noexcept;
  FrameSocket& operator=(FrameSocket&&) noexcept;

  /// Fails on an endpoint that cannot be bound or is none. Returns the endpoint as others reach it.
  /// A socket of this machine is its owner's alone.
  [[nodiscard]] Result<std::string> bind(const std::string& endpoint);
  [[nodiscard]] Result<void> connect(const std::string& endpoint);

  enum class Sent : std::uint8_t {
    Yes,
    Full,  ///< the queue to that peer is at its bound: try again
    Gone,  ///< a hub's peer that is not connected any more
  };
  /// Never blocks. `to` is a peer of a hub, empty else.
  Sent send(const wire::Message& message, const std::string& to = {});
  /// A whole frame; not of a hub.
  Sent send_frame(std::string_view frame);
  /// The next message, waiting for it up to that long; nothing sooner if what came was refused.
  [[nodiscard]] std::optional<Received> receive(std::chrono::milliseconds patience);

  /// What was refused so far.
  [[nodiscard]] Refused refused();
  /// Counts a message that was received and makes no sense.
  void refuse(Refusal why) { ++refused_.at(static_cast<std::size_t>(why)); }

  /// Of a spoke: the connection was there and is not any more.
  [[nodiscard]] bool broken();
  /// Of a spoke: whoever is at the endpoint does not let us in.
  [[nodiscard]] bool turned_away();

 private:
  struct Socket;
  [[nodiscard]] std::optional<Received> read_one(bool& was_something);
  [[nodiscard]] bool wait(std::chrono::milliseconds patience);
  void look();
  std::unique_ptr<Socket> socket_;
  Role role_;
  bool secured_;
  std::array<std::uint64_t, kRefusals> refused_{};
};

}  // namespace troupe::transport
