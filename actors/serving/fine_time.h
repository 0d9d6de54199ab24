// The moments at which engine steps end, exact to the femtosecond.
//
// A step's length is a sum of integer femtoseconds. Rounded to a nanosecond at every step, a run of
// a thousand steps done in one go would not end where a thousand single steps end; carried exactly,
// both do. Everybody else sees whole nanoseconds: a boundary becomes visible at its floor.
#pragma once

#include <compare>
#include <cstdint>

#include "messages/int128.h"

namespace troupe::serving {

/// Sums of femtoseconds: those of a long run of steps exceed 64 bits.
using Wide = Int128;

inline constexpr std::int64_t kFsPerNs = 1'000'000;

struct FineTime {
  std::int64_t ns = 0;  ///< since the run began
  std::int64_t fs = 0;  ///< 0 to 999,999 beyond `ns`

  friend auto operator<=>(const FineTime&, const FineTime&) = default;

  /// This moment and `femtoseconds` (0 or more) later.
  [[nodiscard]] constexpr FineTime plus(Wide femtoseconds) const {
    const Wide total = femtoseconds + fs;
    return {ns + static_cast<std::int64_t>(total / kFsPerNs),
            static_cast<std::int64_t>(total % kFsPerNs)};
  }
  /// How long after `earlier` this moment is.
  [[nodiscard]] constexpr Wide since(const FineTime& earlier) const {
    return static_cast<Wide>(ns - earlier.ns) * kFsPerNs + (fs - earlier.fs);
  }
};

}  // namespace troupe::serving
