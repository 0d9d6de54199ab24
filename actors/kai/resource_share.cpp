#include "actors/kai/resource_share.h"

namespace troupe::kai {

Quantities& Quantities::operator+=(const Quantities& more) {
  for (const Resource resource : kResources) (*this)[resource] += more[resource];
  return *this;
}

Quantities& Quantities::operator-=(const Quantities& less) {
  for (const Resource resource : kResources) (*this)[resource] -= less[resource];
  return *this;
}

Quantities quantities_of(const scheduling::Resources& resources) {
  Quantities quantities;
  quantities[Resource::Cpu] = resources.milli_cpu;
  quantities[Resource::Memory] = resources.memory_bytes;
  quantities[Resource::Gpu] = resources.milli_gpu;
  return quantities;
}

bool less_or_equal(const Quantities& a, const Quantities& b) {
  return std::all_of(kResources.begin(), kResources.end(), [&](Resource resource) {
    if (b[resource] == kUnlimited) return true;
    return a[resource] != kUnlimited && a[resource] <= b[resource];
  });
}

bool all_less(const Quantities& a, const Quantities& b) {
  return std::all_of(kResources.begin(), kResources.end(),
                     [&](Resource resource) { return a[resource] < b[resource]; });
}

std::int64_t ResourceShare::allocatable() const {
  if (deserved == kUnlimited) return max_allowed;
  const std::int64_t share = std::max(deserved, fair_share);
  return max_allowed == kUnlimited ? share : std::min(max_allowed, share);
}

}  // namespace troupe::kai
