// The connection of a client to one API server replica.
//
// Which replica is a hash of the client and of how often it connected, as a load balancer would
// spread them, so a broken connection leads to another replica, whose cache may be older. A
// connection breaks when the server refuses it, as another life of it does, or when an idle
// connection's health check gets no reply (golang's HTTP/2 ping, as Kubernetes configures it).
// Until the first answer the client does not know which life of the server it talks to.
#pragma once

#include <cstdint>
#include <string>

#include "actors/context.h"
#include "messages/address.h"

namespace troupe {

class Connection {
 public:
  /// k8s.io/apimachinery net/http.go: HTTP2_READ_IDLE_TIMEOUT_SECONDS.
  static constexpr Duration kIdle = std::chrono::seconds(30);
  /// k8s.io/apimachinery net/http.go: HTTP2_PING_TIMEOUT_SECONDS.
  static constexpr Duration kPingTimeout = std::chrono::seconds(15);
  /// A client with watches shows that it lives at least this often, or the server forgets its
  /// watches.
  static constexpr Duration kKeepAlive = std::chrono::seconds(60);

  explicit Connection(std::uint32_t replicas) : replicas_(replicas) {}

  /// Where to send now; connects if need be.
  const Address& server(const Context& context);
  /// The replica's number.
  [[nodiscard]] std::uint32_t replica(const Context& context) const;
  /// True if the sender is the server of this connection, in the life that it had.
  bool heard(const Context& context, const Address& sender);
  /// Gives the connection up; the next one counts one more.
  void drop();
  /// Counts the connections of this client.
  [[nodiscard]] std::uint64_t number() const { return number_; }

  /// What the health check has to do now; `next` is when to ask again.
  enum class Health { Quiet, SendPing, Broken };
  struct Check {
    Health health = Health::Quiet;
    SimTime next;
  };
  Check check(SimTime now);

 private:
  std::uint32_t replicas_;
  std::uint64_t number_ = 0;
  Address server_;
  SimTime last_heard_ = kTimeZero;
  SimTime last_ping_ = kTimeZero;
  bool ping_open_ = false;
};

}  // namespace troupe
