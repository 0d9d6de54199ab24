// One request of a trace file.
#pragma once

#include <cstdint>
#include <vector>

#include "messages/sim_time.h"

namespace troupe::traffic {

struct TraceRow {
  Duration at{0};  ///< since the file's own zero
  std::uint32_t prompt_tokens = 0;
  std::uint32_t output_tokens = 0;
  std::vector<std::uint64_t>
      blocks;  ///< of the prompt, from its beginning; where the format has them
};

}  // namespace troupe::traffic
