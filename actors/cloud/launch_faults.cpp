#include "actors/cloud/launch_faults.h"

#include "actors/random.h"
#include "messages/glob.h"
#include "messages/hash.h"
#include "messages/units.h"

namespace troupe::cloud {
namespace {

using Disturb = fault::DisturbLaunches;

}  // namespace

void LaunchFaults::change(const Disturb& disturb) {
  if (disturb.heal()) {
    active_.erase(disturb.id());
  } else {
    active_[disturb.id()] = {disturb, 0};
  }
}

bool LaunchFaults::hits(const Context& context, Active& active, const Pool& pool,
                        std::uint64_t call) const {
  const Disturb& spec = active.spec;
  if (!matches_glob(spec.instance_type(), pool.type->name()) ||
      !matches_glob(spec.zone(), pool.zone) ||
      !matches_glob(spec.capacity_type(), pool.capacity_type)) {
    return false;
  }
  if (active.passed < spec.after()) {
    ++active.passed;
    return false;
  }
  const std::uint64_t name = mix(spec.id(), call, hash_bytes(pool.type->name()),
                                 hash_bytes(pool.zone), hash_bytes(pool.capacity_type));
  return bernoulli(context.random("launch fault", name), spec.probability_ppm(), kPerMillion);
}

bool LaunchFaults::is_dry(const Context& context, const Pool& pool, std::uint64_t call) {
  bool dry = false;
  for (auto& [id, active] : active_) {
    if (active.spec.effect() != Disturb::NO_CAPACITY) continue;
    if (hits(context, active, pool, call)) dry = true;
  }
  return dry;
}

LaunchFate LaunchFaults::fate_of(const Context& context, const Pool& pool, std::uint64_t call) {
  LaunchFate fate;
  for (auto& [id, active] : active_) {
    const Disturb::Effect effect = active.spec.effect();
    if (effect == Disturb::NO_CAPACITY || !hits(context, active, pool, call)) continue;
    const Duration delay(active.spec.delay_ns());
    if (effect == Disturb::SLOW_BOOT) fate.boot_delay += delay;
    if (effect == Disturb::LATE_DEVICE_PLUGIN) fate.device_plugin_delay += delay;
    if (effect == Disturb::FAILED_BOOT) fate.fails_checks = true;
    if (effect == Disturb::NEVER_REGISTERS) fate.never_registers = true;
  }
  return fate;
}

}  // namespace troupe::cloud
