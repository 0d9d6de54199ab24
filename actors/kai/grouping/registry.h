// The grouping plugins, by the kind of the top owner.
#pragma once

#include "actors/kai/grouping/grouping_case.h"

namespace troupe::kai {

[[nodiscard]] GroupPlugin plugin_of(const OwnerView& top);

// One a file, named after it.
Result<Grouping> group_bare_pod(const GroupingCase& one);
Result<Grouping> group_deployment(const GroupingCase& one);
Result<Grouping> group_job(const GroupingCase& one);
Result<Grouping> group_job_set(const GroupingCase& one);
Result<Grouping> group_knative(const GroupingCase& one);
Result<Grouping> group_leader_worker_set(const GroupingCase& one);
Result<Grouping> group_mpi_job(const GroupingCase& one);
Result<Grouping> group_notebook(const GroupingCase& one);
Result<Grouping> group_pod_gang(const GroupingCase& one);
Result<Grouping> group_pytorch_job(const GroupingCase& one);
Result<Grouping> group_ray(const GroupingCase& one);
Result<Grouping> group_skipped_owner(const GroupingCase& one);
Result<Grouping> group_training_job(const GroupingCase& one);

}  // namespace troupe::kai
