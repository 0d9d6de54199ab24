#include "emulator/processes/replay_steering.h"

#include "emulator/processes/apply_command.h"

namespace troupe {

Order ReplaySteering::next() {
  // What was commanded before anything ran was commanded after the events of time 0, too.
  if (!std::exchange(began_, true)) return {Order::What::Run, kTimeZero};
  const SimTime now = run_->timeline.now();
  for (; done_ < commands_.size(); ++done_) {
    const journal::Command& command = commands_[done_];
    if (from_ns(command.at_ns()) > now) return {Order::What::Run, from_ns(command.at_ns())};
    apply_command(command, run_->timeline);
    if (run_->journal != nullptr) run_->journal->note(command);
  }
  if (!end_) return {Order::What::Run, SimTime::max()};
  if (now >= *end_) return {Order::What::End, {}};
  return {Order::What::Run, *end_};
}

}  // namespace troupe
