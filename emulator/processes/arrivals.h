// What the peers of a worker send it: read whole or refused, so that nothing half of a batch ever
// reaches the runtime.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/runtime/placement.h"
#include "emulator/runtime/virtual_runtime.h"
#include "emulator/transport/event_batch.h"
#include "messages/result.h"

namespace troupe {

/// Where the worker stands.
struct ArrivalsAt {
  const Placement* placement = nullptr;  ///< of the run's hosts
  std::uint32_t process = 0;             ///< this one
  SimTime now{};
};

/// The events of a batch. Fails unless it is a peer's and each of its events is whole, of a type
/// that we know, for a host of this process and not due before the present.
[[nodiscard]] Result<std::vector<Departure>> read_batch(const transport::ReceivedBatch& batch,
                                                        const ArrivalsAt& here);

}  // namespace troupe
