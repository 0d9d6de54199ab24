// Exit codes of an engine's processes.
#pragma once

#include <cstdint>

namespace troupe::serving {

inline constexpr std::int32_t kExitError = 1;         ///< an error of its own
inline constexpr std::int32_t kExitKilled = 137;      ///< 128 + SIGKILL
inline constexpr std::int32_t kExitTerminated = 143;  ///< 128 + SIGTERM

}  // namespace troupe::serving
