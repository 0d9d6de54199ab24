// The trap for actors that read a clock or the system's randomness.
//
// An actor's only time is the stamp of the message in hand. A forgotten
// std::chrono::steady_clock::now() would compile and mostly work, until a digest differs once a
// month. So the program brings its own clock_gettime, gettimeofday, time and getrandom: inside a
// handler they end the process with a word that says who did it; outside they ask the kernel.
#pragma once

#include <string>

namespace troupe {

/// Arms the trap on this thread for its lifetime. `actor` must outlive it.
class ClockTrap {
 public:
  explicit ClockTrap(const std::string& actor);
  ~ClockTrap();
  ClockTrap(const ClockTrap&) = delete;
  ClockTrap& operator=(const ClockTrap&) = delete;
};

}  // namespace troupe
