// What the training operator's kinds have in common: replicas by role, and a policy for scheduling.
#pragma once

#include <string>
#include <string_view>

#include "actors/kai/grouping/grouping_case.h"
#include "messages/kubeflow.pb.h"

namespace troupe::kai {

/// The roles and the policy of the top owner; `roles` is null if it is of none of these kinds.
struct TrainingRoles {
  const google::protobuf::RepeatedPtrField<kubeflow::Role>* roles = nullptr;
  const kubeflow::RunPolicy* policy = nullptr;
};
[[nodiscard]] TrainingRoles training_roles(const GroupingCase& one);

/// The replicas of the role; 0 without such a role, 1 where it gives no number.
[[nodiscard]] int replicas_of_role(const TrainingRoles& training, std::string_view role);

/// One gang of all replicas, or of as many as schedulingPolicy.minAvailable says.
[[nodiscard]] Result<Grouping> training_gang(const GroupingCase& one);

}  // namespace troupe::kai
