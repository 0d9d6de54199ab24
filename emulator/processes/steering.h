// Who steers a run from outside while it goes on: a console, or the journal of a run that a console
// steered. A run is carried out in slices; between two of them, when every event up to now() has
// been run and none after it, the helm is asked what to do next. Where slices end changes nothing
// that a run comes to.
#pragma once

#include <cstdint>

#include "emulator/journal/run_journal.h"
#include "emulator/runtime/timeline.h"

namespace troupe {

/// The run as its helm finds it between two slices.
struct Underway {
  Timeline& timeline;
  RunJournal* journal = nullptr;  ///< where commands are kept; null where none is written
};

struct Order {
  enum class What : std::uint8_t {
    Run,     ///< on to `to`, or to the run's end if that comes first
    Rewind,  ///< begin anew: begin() is called with a run that stands at its start
    End,     ///< the run is over, here
  };
  What what = What::Run;
  SimTime to{};
};

class Steering {
 public:
  virtual ~Steering() = default;
  /// A run begins, for the first time or after a rewind; nothing was run yet. Observers are added
  /// here.
  virtual void begin(Underway run) = 0;
  virtual Order next() = 0;
  /// The run of the last begin() is over and will be gone: at its end, or for a rewind.
  virtual void end() {}
};

}  // namespace troupe
