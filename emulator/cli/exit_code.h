// What the program says to the shell.
#pragma once

namespace troupe::cli {

enum ExitCode : int {
  kHeld = 0,           ///< every expectation and invariant held
  kNotHeld = 1,        ///< one did not
  kBadInput = 2,       ///< a file or an argument is wrong: nothing was run
  kDefect = 3,         ///< a process or actor of ours failed
  kOtherDigest = 5,    ///< a replay that differs from its run
  kInterrupted = 130,  ///< ended by a signal, as shells say it
};

}  // namespace troupe::cli
