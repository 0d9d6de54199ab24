// Where a socket listens: "ipc://PATH" on this machine, "tcp://HOST:PORT" on a network.
#pragma once

#include <cstdint>
#include <string>

#include "messages/result.h"

namespace troupe::transport {

struct Endpoint {
  std::string text;
  bool network = false;  ///< tcp: for the rest, too
  std::string host;      ///< an address or a name; "*" or 0.0.0.0 for every interface
  std::string port;      ///< "*": any

  [[nodiscard]] bool every_interface() const;
};

/// Other transports are refused, as are abstract sockets (ipc://@NAME), which every user of the
/// machine may write to.
[[nodiscard]] Result<Endpoint> parse_endpoint(const std::string& text);

/// The address of this machine from which `there` is reached.
[[nodiscard]] Result<std::string> own_address_towards(const Endpoint& there);

}  // namespace troupe::transport
