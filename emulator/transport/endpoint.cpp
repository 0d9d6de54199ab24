#include "emulator/transport/endpoint.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace troupe::transport {
namespace {

bool is_port(const std::string& text) {
  if (text == "*") return true;
  const bool digits =
      !text.empty() && text.size() <= 5 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits && std::stoi(text) <= 65535;
}

// Connecting a datagram socket sends nothing, and chooses the route.
Result<std::string> address_from(const addrinfo& there, const Endpoint& named) {
  const int descriptor = socket(there.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  std::array<char, NI_MAXHOST> text{};
  const bool known =
      descriptor >= 0 && connect(descriptor, there.ai_addr, there.ai_addrlen) == 0 &&
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
      getnameinfo(reinterpret_cast<sockaddr*>(&own), length, text.data(),
                  static_cast<socklen_t>(text.size()), nullptr, 0, NI_NUMERICHOST) == 0;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (!known) return fail(std::string("has no route: ") + std::strerror(error), named.text);
  return std::string(text.data());
}

}  // namespace

bool Endpoint::every_interface() const {
  return network && (host == "*" || host == "0.0.0.0" || host == "[::]");
}

Result<Endpoint> parse_endpoint(const std::string& text) {
  const std::string expected = "expected ipc://PATH or tcp://HOST:PORT";
  if (text.starts_with("ipc://")) {
    if (text.size() == 6) return fail("has no path: " + expected, text);
    if (text[6] == '@') {
      return fail("every user of the machine may write to an abstract socket: give a path", text);
    }
    return Endpoint{text, false, "", ""};
  }
  if (!text.starts_with("tcp://")) return fail("is no endpoint: " + expected, text);
  const std::size_t colon = text.rfind(':');
  const std::string host = colon > 6 ? text.substr(6, colon - 6) : std::string();
  const std::string port = text.substr(colon + 1);
  if (host.empty() || !is_port(port)) return fail("is no endpoint: " + expected, text);
  return Endpoint{text, true, host, port};
}

Result<std::string> own_address_towards(const Endpoint& there) {
  std::string host = there.host;
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), there.port.c_str(), &wanted, &found);
  if (error != 0) return fail(std::string("is unknown: ") + gai_strerror(error), there.text);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  Result<std::string> address = address_from(*found, there);
  if (address && address->find(':') != std::string::npos) return "[" + *address + "]";
  return address;
}

}  // namespace troupe::transport
