#include "emulator/runtime/timeline.h"

#include "messages/runtime.pb.h"

namespace troupe {

std::optional<Defect> Timeline::run_until(SimTime end) {
  std::optional<Defect> defect = advance(end);
  if (!defect && now() == end) tell_standstill(end);
  return defect;
}

void Timeline::start_host(const std::string& path, Payload start, SimTime at) {
  inject(address_of(path), std::move(start), at);
}

void Timeline::crash_host(const std::string& path, SimTime at,
                          std::optional<Duration> restart_after) {
  runtime::HostCrash crash;
  crash.set_restarts(restart_after.has_value());
  crash.set_restart_after_ns(restart_after.value_or(Duration::zero()).count());
  inject(address_of(path), Payload::of(std::move(crash)), at);
}

void Timeline::record_at(SimTime at, Payload fact) {
  inject({}, Payload::of(runtime::RecordFact{}, {std::move(fact)}), at);
}

}  // namespace troupe
