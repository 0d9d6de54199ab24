// Where a run is reached by its consoles: a socket in a folder that only its owner may enter, its
// address in RUN_DIR/endpoint. Frames that are none of ours are refused and counted.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages/control.pb.h"
#include "messages/result.h"

namespace troupe::console {

class ControlServer {
 public:
  /// `run_folder` is where `endpoint` is written; none: nowhere. Folders of runs that died are
  /// removed on the way.
  [[nodiscard]] static Result<std::unique_ptr<ControlServer>> open(
      const std::optional<std::filesystem::path>& run_folder);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  struct Incoming {
    std::string peer;
    control::Request request;
  };
  /// The next request, waiting for it up to that long.
  [[nodiscard]] std::optional<Incoming> receive(std::chrono::milliseconds patience);
  /// False where the peer is gone, or so far behind that it counts as gone.
  bool send(const std::string& peer, const control::Reply& reply);

  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  /// Frames that were refused, by reason.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> refused() const;

 private:
  struct Sockets;
  ControlServer(std::unique_ptr<Sockets> sockets, std::string endpoint,
                std::optional<std::filesystem::path> file);

  std::unique_ptr<Sockets> sockets_;
  std::string endpoint_;
  std::optional<std::filesystem::path> file_;
  std::uint64_t foreign_ = 0;  ///< messages of ours that are no request
};

/// Removes the socket folders of runs that died without doing it.
void remove_stale_folders();

}  // namespace troupe::console
