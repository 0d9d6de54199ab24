#include "emulator/transport/frame_socket.h"

#include <utility>

#include <zmq.hpp>

namespace troupe::transport {
namespace {

// Frames that wait in one direction at most, on each side. Who writes into a full queue is told so
// and reads what reaches it before it tries again.
constexpr int kQueueBound = 1000;
// A peer that says nothing for that long, not even ZeroMQ's own heartbeat, is gone.
constexpr int kHeartbeatMs = 1000;
constexpr int kHeartbeatTimeoutMs = 10000;
// What ZeroMQ takes in at all: above our own bound, so that a frame that breaks it is refused and
// counted by us.
constexpr std::int64_t kReceiveMax = std::int64_t{1} << 30;

zmq::socket_type type_of(Role role) {
  switch (role) {
    case Role::Hub:
      return zmq::socket_type::router;
    case Role::Spoke:
      return zmq::socket_type::dealer;
    case Role::Inbox:
      return zmq::socket_type::pull;
    case Role::Outbox:
      return zmq::socket_type::push;
  }
  return zmq::socket_type::pull;
}

}  // namespace

struct FrameSocket::Socket {
  Socket(zmq::context_t& context, Role role) : zmq(context, type_of(role)) {}
  zmq::socket_t zmq;
};

FrameSocket::FrameSocket(zmq::context_t& context, Role role)
    : socket_(std::make_unique<Socket>(context, role)), role_(role) {
  zmq::socket_t& socket = socket_->zmq;
  socket.set(zmq::sockopt::linger, 1000);
  socket.set(zmq::sockopt::sndhwm, kQueueBound);
  socket.set(zmq::sockopt::rcvhwm, kQueueBound);
  socket.set(zmq::sockopt::maxmsgsize, kReceiveMax);
  socket.set(zmq::sockopt::heartbeat_ivl, kHeartbeatMs);
  socket.set(zmq::sockopt::heartbeat_timeout, kHeartbeatTimeoutMs);
  if (role == Role::Hub) socket.set(zmq::sockopt::router_mandatory, true);
}

FrameSocket::~FrameSocket() = default;
FrameSocket::FrameSocket(FrameSocket&&) noexcept = default;
FrameSocket& FrameSocket::operator=(FrameSocket&&) noexcept = default;

Result<std::string> FrameSocket::bind(const std::string& endpoint) {
  try {
    socket_->zmq.bind(endpoint);
    return socket_->zmq.get(zmq::sockopt::last_endpoint);
  } catch (const zmq::error_t& e) {
    return fail(std::string("cannot be bound: ") + e.what(), endpoint);
  }
}

Result<void> FrameSocket::connect(const std::string& endpoint) {
  try {
    socket_->zmq.connect(endpoint);
    return {};
  } catch (const zmq::error_t& e) {
    return fail(std::string("cannot be reached: ") + e.what(), endpoint);
  }
}

FrameSocket::Sent FrameSocket::send(const wire::Message& message, const std::string& to) {
  const std::string frame = encode_frame(message);
  try {
    if (role_ == Role::Hub) {
      const auto sent =
          socket_->zmq.send(zmq::buffer(to), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
      if (!sent) return Sent::Full;
    }
    return socket_->zmq.send(zmq::buffer(frame), zmq::send_flags::dontwait) ? Sent::Yes
                                                                            : Sent::Full;
  } catch (const zmq::error_t& e) {
    if (e.num() == EHOSTUNREACH) return Sent::Gone;
    throw;
  }
}

std::optional<Received> FrameSocket::receive(std::chrono::milliseconds patience) {
  while (true) {
    zmq::pollitem_t item{socket_->zmq.handle(), 0, ZMQ_POLLIN, 0};
    try {
      if (zmq::poll(&item, 1, std::exchange(patience, std::chrono::milliseconds(0))) == 0) {
        return std::nullopt;
      }
    } catch (const zmq::error_t& e) {
      if (e.num() == EINTR) return std::nullopt;  // a signal: the caller looks what it said
      throw;
    }
    std::vector<zmq::message_t> parts;
    do {
      parts.emplace_back();
      if (!socket_->zmq.recv(parts.back(), zmq::recv_flags::none)) return std::nullopt;
    } while (parts.back().more());
    const std::size_t expected = role_ == Role::Hub ? 2 : 1;
    if (parts.size() != expected) {
      ++refused_[static_cast<std::size_t>(Refusal::Garbage)];
      continue;
    }
    tl::expected<wire::Message, Refusal> message = decode_frame(parts.back().to_string_view());
    if (!message) {
      ++refused_[static_cast<std::size_t>(message.error())];
      continue;
    }
    return Received{role_ == Role::Hub ? parts.front().to_string() : std::string(),
                    *std::move(message)};
  }
}

}  // namespace troupe::transport
