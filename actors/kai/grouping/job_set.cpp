// A JobSet whose Jobs start in order is a gang for each replicated job, since the later ones do not
// exist before the earlier ones run; one that starts in any order is one gang.
#include <algorithm>

#include "actors/kai/grouping/registry.h"
#include "messages/jobset.pb.h"
#include "messages/labels.h"

namespace troupe::kai {
namespace {

// jobset.x-k8s.io/v1alpha2.
constexpr std::string_view kReplicatedJobLabel = "jobset.sigs.k8s.io/replicatedjob-name";

int pods_at_once(const jobset::ReplicatedJob& job) {
  const int replicas = job.has_replicas() ? job.replicas() : 1;
  const k8s::JobSpec& spec = job.template_().spec();
  const int parallelism = spec.has_parallelism() ? spec.parallelism() : 1;
  return replicas *
         (spec.has_completions() ? std::min(parallelism, spec.completions()) : parallelism);
}

}  // namespace

Result<Grouping> group_job_set(const GroupingCase& one) {
  const auto* set = one.top_as<jobset::JobSet>();
  if (set == nullptr || set->spec().replicated_jobs().empty()) {
    return fail(one.top_text() + " has no replicatedJobs");
  }
  Grouping grouping = one.one_group();
  PodGroupSpec& spec = *grouping.group.mutable_spec();
  const std::string& order = set->spec().startup_policy().startup_policy_order();
  if (!order.empty() && order != "InOrder") {
    int total = 0;
    for (const auto& job : set->spec().replicated_jobs()) total += pods_at_once(job);
    spec.set_min_member(std::max(total, 1));
    return grouping;
  }
  const k8s::ObjectMeta& pod = one.pod().metadata();
  const std::string_view name = label_or(pod.labels(), kReplicatedJobLabel);
  if (name.empty()) {
    return fail("no label " + std::string(kReplicatedJobLabel) + " on pod " + pod.namespace_() +
                "/" + pod.name());
  }
  const auto& jobs = set->spec().replicated_jobs();
  const auto job = std::find_if(jobs.begin(), jobs.end(),
                                [&](const auto& candidate) { return candidate.name() == name; });
  if (job == jobs.end()) {
    return fail("replicatedJob " + std::string(name) + " not found in " + one.top_text());
  }
  grouping.group.mutable_metadata()->set_name(grouping.group.metadata().name() + "-" +
                                              std::string(name));
  spec.set_min_member(std::max(pods_at_once(*job), 1));
  return grouping;
}

}  // namespace troupe::kai
