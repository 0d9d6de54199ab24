#include "emulator/transport/gatekeeper.h"

#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <zmq.hpp>

namespace troupe::transport {
namespace {

constexpr const char* kAsked = "inproc://zeromq.zap.01";
// How soon the end of the object is noticed.
constexpr int kLookMs = 50;
// Of a request: version, id, domain, address, identity, mechanism, then the client's key in binary.
constexpr std::size_t kId = 1;
constexpr std::size_t kMechanism = 5;
constexpr std::size_t kKey = 6;
constexpr std::size_t kKeyBytes = 32;

bool may_enter(const std::vector<zmq::message_t>& request, const std::string& public_half) {
  if (request.size() <= kKey || request[kMechanism].to_string_view() != "CURVE" ||
      request[kKey].size() != kKeyBytes) {
    return false;
  }
  std::array<char, 41> text{};
  zmq_z85_encode(text.data(), request[kKey].data<std::uint8_t>(), kKeyBytes);
  return public_half == text.data();
}

void answer(zmq::socket_t& socket, const std::string& public_half) {
  std::vector<zmq::message_t> request;
  do {
    request.emplace_back();
    if (!socket.recv(request.back(), zmq::recv_flags::none)) return;
  } while (request.back().more());
  const bool enters = may_enter(request, public_half);
  const std::string id = request.size() > kId ? request[kId].to_string() : std::string();
  const std::array<std::string, 6> reply = {
      "1.0", id, enters ? "200" : "400", enters ? "" : "not of this run", "", ""};
  for (std::size_t i = 0; i < reply.size(); ++i) {
    const bool last = i + 1 == reply.size();
    socket.send(zmq::buffer(reply[i]), last ? zmq::send_flags::none : zmq::send_flags::sndmore);
  }
}

}  // namespace

Gatekeeper::Gatekeeper(zmq::context_t& context, std::string public_half) {
  zmq::socket_t socket(context, zmq::socket_type::rep);
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::rcvtimeo, kLookMs);
  socket.bind(kAsked);
  answers_ =
      std::thread([this, asked = std::move(socket), mine = std::move(public_half)]() mutable {
        while (!over_) answer(asked, mine);
        asked.close();
      });
}

Gatekeeper::~Gatekeeper() {
  over_ = true;
  answers_.join();
}

}  // namespace troupe::transport
