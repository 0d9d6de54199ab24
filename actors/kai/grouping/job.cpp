// A plain Job is no gang: a group for each pod, named after pod and Job. A CronJob's pods are
// grouped by the Job that made them.
#include "actors/kai/grouping/registry.h"

namespace troupe::kai {

Result<Grouping> group_job(const GroupingCase& one) {
  if (one.top().kind == "CronJob") {
    const GroupingCase below = one.without_top();
    return plugin_of(below.top())(below);
  }
  Grouping grouping = one.one_group();
  grouping.group.mutable_metadata()->set_name(
      group_name(one.pod().metadata().name(), one.top().metadata.uid()));
  return grouping;
}

}  // namespace troupe::kai
