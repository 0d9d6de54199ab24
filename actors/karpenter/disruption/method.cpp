#include "actors/karpenter/disruption/method.h"

#include "actors/karpenter/disruption/emptiness.h"

namespace troupe::karpenter {

std::vector<std::unique_ptr<Method>> disruption_methods() {
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(std::make_unique<Emptiness>());  // moves no pod, so it comes before all that do
  return methods;
}

}  // namespace troupe::karpenter
