// Does again, at the same stamps, what a console did to a run; or runs as far as a run came.
#pragma once

#include <optional>
#include <vector>

#include "emulator/processes/steering.h"

namespace troupe {

class ReplaySteering final : public Steering {
 public:
  /// Commands in order of their stamps; without `end` the run goes on to its end. `watcher`, if
  /// any, is added to the run's observers.
  ReplaySteering(std::vector<journal::Command> commands, std::optional<SimTime> end,
                 Observer* watcher = nullptr)
      : commands_(std::move(commands)), end_(end), watcher_(watcher) {}

  void begin(Underway run) override {
    run_.emplace(run);
    if (watcher_ != nullptr) run.timeline.add_observer(*watcher_);
  }
  Order next() override;

 private:
  std::vector<journal::Command> commands_;
  std::optional<SimTime> end_;
  Observer* watcher_;
  std::optional<Underway> run_;
  std::size_t done_ = 0;
  bool began_ = false;
};

}  // namespace troupe
