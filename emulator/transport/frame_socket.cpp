#include "emulator/transport/frame_socket.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include <zmq.hpp>

#include "messages/assert.h"

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

// A flood of what is refused must not keep a reader from all else.
constexpr int kRefusedAtOnce = 100;
// A peer that closes the connection so often instead of a handshake does not want us.
constexpr std::uint64_t kTurnedAway = 5;

constexpr int kWatched = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED |
                         ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                         ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

bool listens(Role role) {
  return role == Role::Hub || role == Role::Inbox;
}

void secure(zmq::socket_t& socket, Role role, const RunKeys& keys) {
  socket.set(zmq::sockopt::curve_secretkey, keys.secret_half);
  if (listens(role)) {
    socket.set(zmq::sockopt::curve_server, true);
    socket.set(zmq::sockopt::zap_domain, "troupe");
  } else {
    socket.set(zmq::sockopt::curve_publickey, keys.public_half);
    socket.set(zmq::sockopt::curve_serverkey, keys.public_half);
  }
}

// The files that are made while it lives are their owner's alone.
class PrivateFiles {
 public:
  PrivateFiles() : before_(umask(0177)) {}
  ~PrivateFiles() { umask(before_); }
  PrivateFiles(const PrivateFiles&) = delete;
  PrivateFiles& operator=(const PrivateFiles&) = delete;

 private:
  mode_t before_;
};

// An endpoint of this process, for the events of one socket.
std::string next_watch() {
  static std::atomic<std::uint64_t> count{0};
  return "inproc://events-" + std::to_string(count++);
}

}  // namespace

Refused& Refused::operator+=(const Refused& other) {
  for (std::size_t i = 0; i < frames.size(); ++i) frames[i] += other.frames[i];
  peers += other.peers;
  return *this;
}

struct FrameSocket::Socket {
  Socket(zmq::context_t& context, Role role)
      : zmq(context, type_of(role)), events(context, zmq::socket_type::pair) {
    const std::string watch = next_watch();
    zmq_socket_monitor(zmq.handle(), watch.c_str(), kWatched);
    events.set(zmq::sockopt::linger, 0);
    events.set(zmq::sockopt::rcvhwm, 0);  // ZeroMQ's own thread must never wait for us to look
    events.connect(watch);
  }
  ~Socket() { zmq_socket_monitor(zmq.handle(), nullptr, 0); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  zmq::socket_t zmq;
  zmq::socket_t events;  ///< what ZeroMQ says of the socket's connections
  // How many there were of each, so far.
  std::uint64_t accepted = 0;
  std::uint64_t admitted = 0;
  std::uint64_t disconnected = 0;  ///< since the last that was admitted
  std::uint64_t closed_in_handshake = 0;
  std::uint64_t refused_in_handshake = 0;
};

FrameSocket::FrameSocket(zmq::context_t& context, Role role, const RunKeys* keys)
    : socket_(std::make_unique<Socket>(context, role)), role_(role), secured_(keys != nullptr) {
  zmq::socket_t& socket = socket_->zmq;
  socket.set(zmq::sockopt::linger, 1000);
  socket.set(zmq::sockopt::sndhwm, kQueueBound);
  socket.set(zmq::sockopt::rcvhwm, kQueueBound);
  socket.set(zmq::sockopt::maxmsgsize, kReceiveMax);
  socket.set(zmq::sockopt::heartbeat_ivl, kHeartbeatMs);
  socket.set(zmq::sockopt::heartbeat_timeout, kHeartbeatTimeoutMs);
  if (role == Role::Hub) socket.set(zmq::sockopt::router_mandatory, true);
  if (keys != nullptr) secure(socket, role, *keys);
}

FrameSocket::~FrameSocket() = default;
FrameSocket::FrameSocket(FrameSocket&&) noexcept = default;
FrameSocket& FrameSocket::operator=(FrameSocket&&) noexcept = default;

Result<std::string> FrameSocket::bind(const std::string& endpoint) {
  try {
    const PrivateFiles only_ours;
    if (endpoint.find('[') != std::string::npos) socket_->zmq.set(zmq::sockopt::ipv6, true);
    socket_->zmq.bind(endpoint);
    return socket_->zmq.get(zmq::sockopt::last_endpoint);
  } catch (const zmq::error_t& e) {
    return fail(std::string("cannot be bound: ") + e.what(), endpoint);
  }
}

Result<void> FrameSocket::connect(const std::string& endpoint) {
  try {
    if (endpoint.find('[') != std::string::npos) socket_->zmq.set(zmq::sockopt::ipv6, true);
    socket_->zmq.connect(endpoint);
    return {};
  } catch (const zmq::error_t& e) {
    return fail(std::string("cannot be reached: ") + e.what(), endpoint);
  }
}

FrameSocket::Sent FrameSocket::send(const wire::Message& message, const std::string& to) {
  const std::size_t size = frame_size(message);
  zmq::message_t frame(size);
  write_frame(message, size, frame.data<char>());
  try {
    if (role_ == Role::Hub) {
      const auto sent =
          socket_->zmq.send(zmq::buffer(to), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
      if (!sent) return Sent::Full;
    }
    return socket_->zmq.send(frame, zmq::send_flags::dontwait) ? Sent::Yes : Sent::Full;
  } catch (const zmq::error_t& e) {
    if (e.num() == EHOSTUNREACH) return Sent::Gone;
    throw;
  }
}

FrameSocket::Sent FrameSocket::send_frame(std::string_view frame) {
  TROUPE_ASSERT(role_ != Role::Hub, "a hub says to whom");
  return socket_->zmq.send(zmq::buffer(frame), zmq::send_flags::dontwait) ? Sent::Yes : Sent::Full;
}

std::optional<Received> FrameSocket::receive(std::chrono::milliseconds patience) {
  for (int tries = 0; tries < kRefusedAtOnce; ++tries) {
    // What is there already costs no call of the system.
    bool was_something = false;
    if (std::optional<Received> received = read_one(was_something)) return received;
    if (was_something) continue;
    if (!wait(std::exchange(patience, std::chrono::milliseconds(0)))) return std::nullopt;
  }
  return std::nullopt;
}

bool FrameSocket::wait(std::chrono::milliseconds patience) {
  if (patience == std::chrono::milliseconds(0)) return false;
  zmq::pollitem_t item{socket_->zmq.handle(), 0, ZMQ_POLLIN, 0};
  try {
    return zmq::poll(&item, 1, patience) != 0;
  } catch (const zmq::error_t& e) {
    if (e.num() == EINTR) return false;  // a signal: the caller looks what it said
    throw;
  }
}

// What is there to be read, unless it is refused.
std::optional<Received> FrameSocket::read_one(bool& was_something) {
  std::vector<zmq::message_t> parts;
  const std::size_t expected = role_ == Role::Hub ? 2 : 1;
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    zmq::message_t part;
    if (!socket_->zmq.recv(part, zmq::recv_flags::dontwait)) return std::nullopt;
    was_something = true;
    more = part.more();
    if (count < expected) parts.push_back(std::move(part));
  }
  if (count != expected) {
    refuse(Refusal::Garbage);
    return std::nullopt;
  }
  Received received;
  if (role_ == Role::Hub) received.from = parts.front().to_string();
  const auto frame = std::make_shared<zmq::message_t>(std::move(parts.back()));
  const tl::expected<std::string_view, Refusal> bytes = open_frame(frame->to_string_view());
  if (!bytes) {
    refuse(bytes.error());
    return std::nullopt;
  }
  received.batch = batch_of(*bytes);
  if (received.batch) {
    received.batch->frame = frame;
  } else if (!received.message.ParseFromArray(bytes->data(), static_cast<int>(bytes->size()))) {
    refuse(Refusal::Damaged);
    return std::nullopt;
  }
  const char* address = zmq_msg_gets(frame->handle(), "Peer-Address");
  // A socket of this machine has one, too, that says nothing.
  if (secured_ && address != nullptr) received.address = address;
  return received;
}

Refused FrameSocket::refused() {
  look();
  if (!secured_) return {refused_, 0};  // nobody needs keys here
  return {refused_, socket_->accepted - std::min(socket_->accepted, socket_->admitted)};
}

bool FrameSocket::broken() {
  look();
  return socket_->admitted > 0 && socket_->disconnected > 0;
}

bool FrameSocket::turned_away() {
  look();
  return socket_->admitted == 0 &&
         (socket_->refused_in_handshake > 0 || socket_->closed_in_handshake >= kTurnedAway);
}

// Each event has two parts: which, with a number, and where.
void FrameSocket::look() {
  zmq::message_t what;
  zmq::message_t where;
  while (socket_->events.recv(what, zmq::recv_flags::dontwait)) {
    std::uint16_t event = 0;
    std::memcpy(&event, what.data(), sizeof event);
    if (what.more() && !socket_->events.recv(where, zmq::recv_flags::none)) return;
    switch (event) {
      case ZMQ_EVENT_ACCEPTED:
        ++socket_->accepted;
        break;
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
        ++socket_->admitted;
        socket_->disconnected = 0;  // those were attempts
        break;
      case ZMQ_EVENT_DISCONNECTED:
        ++socket_->disconnected;
        break;
      case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        ++socket_->closed_in_handshake;
        break;
      default:
        ++socket_->refused_in_handshake;
    }
  }
}

}  // namespace troupe::transport
