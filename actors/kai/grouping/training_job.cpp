#include "actors/kai/grouping/registry.h"
#include "actors/kai/grouping/training_roles.h"

namespace troupe::kai {

TrainingRoles training_roles(const GroupingCase& one) {
  if (const auto* job = one.top_as<kubeflow::PyTorchJob>()) {
    return {&job->spec().pytorch_replica_specs(), &job->spec().run_policy()};
  }
  if (const auto* job = one.top_as<kubeflow::TFJob>()) {
    return {&job->spec().tf_replica_specs(), &job->spec().run_policy()};
  }
  if (const auto* job = one.top_as<kubeflow::XGBoostJob>()) {
    return {&job->spec().xgb_replica_specs(), &job->spec().run_policy()};
  }
  if (const auto* job = one.top_as<kubeflow::JAXJob>()) {
    return {&job->spec().jax_replica_specs(), &job->spec().run_policy()};
  }
  if (const auto* job = one.top_as<kubeflow::MPIJob>()) {
    return {&job->spec().mpi_replica_specs(), &job->spec().run_policy()};
  }
  return {};
}

int replicas_of_role(const TrainingRoles& training, std::string_view role) {
  for (const kubeflow::Role& candidate : *training.roles) {
    if (candidate.role() != role) continue;
    return candidate.spec().has_replicas() ? candidate.spec().replicas() : 1;
  }
  return 0;
}

Result<Grouping> training_gang(const GroupingCase& one) {
  const TrainingRoles training = training_roles(one);
  if (training.roles == nullptr) return fail("failed to find " + one.top_text());
  int minimum = 0;
  for (const kubeflow::Role& role : *training.roles) {
    minimum += replicas_of_role(training, role.role());
  }
  const kubeflow::SchedulingPolicy& scheduling = training.policy->scheduling_policy();
  if (scheduling.has_min_available()) minimum = scheduling.min_available();
  if (minimum < 1) return fail(one.top_text() + " asks for no pods; fix its replicas");
  Grouping grouping = one.one_group();
  grouping.group.mutable_spec()->set_min_member(minimum);
  return grouping;
}

Result<Grouping> group_training_job(const GroupingCase& one) {
  return training_gang(one);
}

}  // namespace troupe::kai
