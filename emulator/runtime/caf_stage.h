// CAF's part: one CAF actor carries each emulated actor.
//
// In virtual time CAF runs under its deterministic `testing` scheduler and never owns the clock:
// the runtime's queue decides the order and feeds one delivery at a time, so no mailbox ever holds
// two messages. An exception in a handler ends the carrier, as CAF ends any actor that throws; the
// stage reports it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <caf/actor.hpp>

namespace troupe {

class CafStage {
 public:
  CafStage();
  ~CafStage();
  CafStage(const CafStage&) = delete;
  CafStage& operator=(const CafStage&) = delete;

  /// Starts a carrier that runs `handler` for each ticket it is handed.
  caf::actor spawn(std::function<void()> handler);
  /// Hands the carrier one ticket and runs it to its end. Returns what the handler threw, if it
  /// did.
  std::optional<std::string> run(const caf::actor& carrier);
  /// Ends a carrier; its state is freed before the call returns.
  void stop(caf::actor& carrier);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
