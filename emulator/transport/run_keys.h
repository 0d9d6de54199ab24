// Who may take part in a run over the network: whoever holds the run's key file.
//
// One CURVE key pair for all processes of a run. Each proves by the secret half that it holds the
// file, so a launcher and its workers know each other by it; what they say is encrypted with keys
// that live as long as the connection. To shut somebody out, make a new file.
#pragma once

#include <filesystem>
#include <string>

#include "messages/result.h"

namespace troupe::transport {

/// Both halves in Z85, 40 characters each.
struct RunKeys {
  std::string public_half;
  std::string secret_half;
};

/// Fails where ZeroMQ was built without CURVE.
[[nodiscard]] Result<RunKeys> make_keys();

/// A new file of mode 0600. Fails where there is one already.
[[nodiscard]] Result<void> write_keys(const RunKeys& keys, const std::filesystem::path& file);
/// Fails on a file that others may read, on one that is no key file, and on halves that do not
/// belong together.
[[nodiscard]] Result<RunKeys> read_keys(const std::filesystem::path& file);

}  // namespace troupe::transport
