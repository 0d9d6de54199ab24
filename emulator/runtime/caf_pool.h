// CAF's other part: in a live run one CAF actor carries each host, on CAF's work-stealing
// scheduler.
//
// The actors of a host exchange messages without delay and share a fate, so they are run by one
// thread at a time, and a CAF actor is just that: wake it as often as you like, from any thread,
// and its work runs at least once after the last waking, never twice at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <caf/actor.hpp>

namespace troupe {

class CafPool {
 public:
  /// With so many threads; 0: as many as the machine has cores.
  explicit CafPool(std::size_t threads = 0);
  /// Waits until no work runs any more.
  ~CafPool();
  CafPool(const CafPool&) = delete;
  CafPool& operator=(const CafPool&) = delete;

  /// `work` must not throw.
  [[nodiscard]] caf::actor spawn(std::function<void()> work);
  static void wake(const caf::actor& carrier);
  static void stop(caf::actor& carrier);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
