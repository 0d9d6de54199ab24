#include "emulator/runtime/placement.h"

#include "messages/address.h"
#include "messages/assert.h"
#include "messages/hash.h"

namespace troupe {

Placement::Placement(const plan::PlacementPlan& plan, std::uint32_t processes)
    : processes_(processes), shuffle_(plan.shuffle()) {
  TROUPE_ASSERT(processes > 0, "a run has at least one process");
  for (const auto& pin : plan.pins()) pins_[host_hash(pin.host())] = pin.process() % processes;
  for (const std::string& kind : plan.together()) together_.insert(host_kind(kind));
}

std::uint32_t Placement::process_of(std::uint64_t host) const {
  if (processes_ == 1) return 0;
  if (const auto pin = pins_.find(host); pin != pins_.end()) return pin->second;
  if (keeps_together(host_kind(host))) return 0;
  return static_cast<std::uint32_t>(mix(shuffle_, host) % processes_);
}

bool Placement::keeps_together(std::uint16_t kind) const {
  return processes_ == 1 || (shuffle_ == 0 && together_.contains(kind));
}

}  // namespace troupe
