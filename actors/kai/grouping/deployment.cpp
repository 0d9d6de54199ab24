// Replicas of a Deployment serve on their own: a group for each pod.
#include "actors/kai/grouping/registry.h"

namespace troupe::kai {

Result<Grouping> group_deployment(const GroupingCase& one) {
  return one.own_group(kInferenceClass);
}

}  // namespace troupe::kai
