#include "emulator/processes/arrivals.h"

#include <utility>

namespace troupe {

Result<std::vector<Departure>> read_batch(const transport::ReceivedBatch& batch,
                                          const ArrivalsAt& here) {
  if (batch.from >= here.placement->processes() || batch.from == here.process) {
    return fail("a batch of no peer");
  }
  std::vector<Departure> arrivals;
  arrivals.reserve(batch.events.size());
  for (const std::string_view event : batch.events) {
    Result<Departure> arrival = transport::decode_event(event);
    if (!arrival) return tl::unexpected(arrival.error());
    if (arrival->key.time < here.now) return fail("an event that is due before the present");
    if (here.placement->process_of(arrival->event.to.host) != here.process) {
      return fail("an event for a host of another process");
    }
    arrivals.push_back(*std::move(arrival));
  }
  return arrivals;
}

}  // namespace troupe
