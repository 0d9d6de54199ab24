#include "actors/api_client/connection.h"

#include <algorithm>

#include "messages/hash.h"

namespace troupe {

const Address& Connection::server(const Context& context) {
  if (!server_) {
    server_ = address_of("apiserver/" + std::to_string(replica(context)));
    last_heard_ = context.now();
    last_ping_ = context.now();
    ping_open_ = false;
  }
  return server_;
}

std::uint32_t Connection::replica(const Context& context) const {
  return static_cast<std::uint32_t>(mix(context.self().actor, number_) % std::max(replicas_, 1U));
}

bool Connection::heard(const Context& context, const Address& sender) {
  if (!server_ || sender.any() != server_.any()) return false;
  if (server_.incarnation == Address::kAnyIncarnation) server_ = sender;
  if (server_.incarnation != sender.incarnation) return false;
  last_heard_ = context.now();
  ping_open_ = false;
  return true;
}

void Connection::drop() {
  server_ = {};
  ++number_;
}

Connection::Check Connection::check(SimTime now) {
  if (ping_open_) {
    if (now >= last_ping_ + kPingTimeout) return {Health::Broken, now};
    return {Health::Quiet, last_ping_ + kPingTimeout};
  }
  const SimTime due = std::min(last_heard_ + kIdle, last_ping_ + kKeepAlive);
  if (now < due) return {Health::Quiet, due};
  last_ping_ = now;
  ping_open_ = true;
  return {Health::SendPing, now + kPingTimeout};
}

}  // namespace troupe
