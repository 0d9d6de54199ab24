// What every fault has beside its kind: its moments, its chance, its condition.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/config/fault_kinds.h"
#include "messages/fault.pb.h"
#include "messages/plan.pb.h"

namespace troupe::config {

struct FaultFrame {
  std::uint32_t index = 0;
  std::string path;                   ///< "faults[0]"
  std::vector<std::int64_t> moments;  ///< none with a condition
  bool has_condition = false;
  fault::Condition condition;
  std::uint32_t probability_ppm = 0;
  std::uint32_t after = 0;  ///< of messages, where the kind is of messages
  Duration length{0};       ///< 0: for ever
};

/// Adds a problem wherever it is not sound.
[[nodiscard]] FaultFrame frame_of(const Fault& fault, std::uint32_t index, const FaultKind& kind,
                                  const plan::RunPlan& plan, Problems& problems);

}  // namespace troupe::config
