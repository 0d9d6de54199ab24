// A command that acts, done to a run: by a console, and again by whoever replays its journal.
#pragma once

#include <string>

#include "emulator/runtime/timeline.h"
#include "messages/journal.pb.h"
#include "messages/plan.pb.h"

namespace troupe {

/// The host that does a console's work on objects: a second director, so that one that the scenario
/// has is not disturbed.
inline constexpr const char* kConsoleDirector = "controller/director/1";

/// When what is commanded at `at` takes effect: after every event of that moment.
[[nodiscard]] constexpr SimTime effect_time(SimTime at) {
  return at + Duration(1);
}

/// The run must stand at command.at_ns(), with every event up to there run.
void apply_command(const journal::Command& command, Timeline& timeline);

/// A rule of the network befalls messages, not an actor: the observers are told of its windows, and
/// of one that was given by hand those who keep it are told when one is over.
void apply_link_rule(const fault::LinkRule& rule, Timeline& timeline);

/// Hands a planned fault to the run, and the fact of it to the observers.
void apply_fault(const plan::FaultPlan& fault, Timeline& timeline);

}  // namespace troupe
