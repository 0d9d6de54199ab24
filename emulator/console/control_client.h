// The console's end of the line to a run.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages/control.pb.h"
#include "messages/result.h"

namespace troupe::console {

class ControlClient {
 public:
  /// `where` is a run folder, an endpoint, or empty: the latest run below runs/. Fails with a
  /// sentence for people where nobody runs there.
  [[nodiscard]] static Result<std::unique_ptr<ControlClient>> dial(const std::string& where);
  ~ControlClient();
  ControlClient(const ControlClient&) = delete;
  ControlClient& operator=(const ControlClient&) = delete;

  /// Sends and returns the request's id; files that the command names are read here and go along.
  [[nodiscard]] Result<std::uint64_t> send(std::vector<std::string> words, bool json);
  /// What the last word may become.
  [[nodiscard]] std::vector<std::string> complete(std::vector<std::string> words);
  void cancel(std::uint64_t id);
  /// The next reply to that request; nothing if none came in time.
  [[nodiscard]] std::optional<control::Reply> receive(std::uint64_t id,
                                                      std::chrono::milliseconds patience);
  /// The run said that it is over.
  [[nodiscard]] bool ended() const { return ended_; }
  /// Whether there is still somebody at the other end.
  [[nodiscard]] bool is_alive() const;
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

 private:
  struct Sockets;
  ControlClient(std::unique_ptr<Sockets> sockets, std::string endpoint);
  [[nodiscard]] Result<std::uint64_t> post(control::Request request);

  std::unique_ptr<Sockets> sockets_;
  std::string endpoint_;
  std::uint64_t last_ = 0;
  bool ended_ = false;
};

}  // namespace troupe::console
