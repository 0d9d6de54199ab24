// 128-bit integers, which g++ and clang have and the standard has not.
#pragma once

namespace troupe {

__extension__ typedef __int128 Int128;

}  // namespace troupe
