// Lets those in who hold the run's keys. ZeroMQ asks it about each peer of a secured socket (ZAP,
// RFC 27); whoever is not let in never reaches a parser of ours.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace zmq {
class context_t;
}

namespace troupe::transport {

/// Answers for all sockets of a context; there is one of a context at most, made before the first
/// bind and gone before the context.
class Gatekeeper {
 public:
  Gatekeeper(zmq::context_t& context, std::string public_half);
  ~Gatekeeper();
  Gatekeeper(const Gatekeeper&) = delete;
  Gatekeeper& operator=(const Gatekeeper&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::thread answers_;
};

}  // namespace troupe::transport
