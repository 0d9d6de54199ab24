#include "actors/karpenter/cloud/unavailable_offerings.h"

namespace troupe::karpenter {

void UnavailableOfferings::mark(const Key& key, SimTime now) {
  until_[key] = now + kTtl;
}

bool UnavailableOfferings::sweep(SimTime now) {
  return std::erase_if(until_, [now](const auto& entry) { return entry.second <= now; }) > 0;
}

}  // namespace troupe::karpenter
