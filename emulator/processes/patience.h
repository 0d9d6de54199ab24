// How long the two sides of a run wait for each other.
#pragma once

#include <chrono>

namespace troupe {

/// A peer that says nothing for so long is gone: launchers and workers ping each second.
inline constexpr std::chrono::seconds kSilence{20};
/// How long one wait for a frame lasts, so that whoever waits also sees signals and dead children.
inline constexpr std::chrono::milliseconds kListen{200};

}  // namespace troupe
