// An MPIJob is one gang; a launcher that is to wait for the workers is no part of it before it is
// there.
#include "actors/kai/grouping/registry.h"
#include "actors/kai/grouping/training_roles.h"

namespace troupe::kai {

Result<Grouping> group_mpi_job(const GroupingCase& one) {
  Result<Grouping> grouping = training_gang(one);
  if (!grouping) return grouping;
  const TrainingRoles training = training_roles(one);
  for (const std::string_view role : {"Launcher", "Worker"}) {
    if (replicas_of_role(training, role) < 1) {
      return fail("mpiReplicaSpecs of " + one.top_text() + " has no " + std::string(role));
    }
  }
  const k8s::ObjectMeta& job = one.top().metadata;
  const auto* mpi = one.top_as<kubeflow::MPIJob>();
  if (mpi->spec().launcher_creation_policy() == "WaitForWorkersReady" &&
      !one.options().has_launcher(job.namespace_() + "/" + job.name())) {
    PodGroupSpec& spec = *grouping->group.mutable_spec();
    spec.set_min_member(spec.min_member() - replicas_of_role(training, "Launcher"));
  }
  return grouping;
}

}  // namespace troupe::kai
