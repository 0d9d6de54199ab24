#include "actors/kai/queue_capacity.h"

#include <string>

#include "actors/kai/amount_text.h"

namespace troupe::kai {
namespace {

std::string limit_text(const QueueInfo& queue, Resource resource, std::int64_t more) {
  const ResourceShare& share = queue.share(resource);
  const auto [what, unit] = resource == Resource::Gpu   ? std::pair("GPUs", " GPUs")
                            : resource == Resource::Cpu ? std::pair("CPU cores", " cores")
                                                        : std::pair("memory", " GB");
  return queue.name() + " quota has reached the allowable limit of " + what + ". Limit is " +
         amount_text(resource, share.max_allowed) + unit + ", currently " +
         amount_text(resource, share.allocated) + unit + " allocated and workload requested " +
         amount_text(resource, more) + unit;
}

std::string quota_text(const QueueInfo& queue, Resource resource, std::int64_t more) {
  const ResourceShare& share = queue.share(resource);
  const auto [asked, unit] = resource == Resource::Gpu   ? std::pair(" GPUs", " GPUs")
                             : resource == Resource::Cpu ? std::pair(" CPU cores", " cores")
                                                         : std::pair(" GB memory", " GB");
  return "Non-preemptible workload is over quota. Workload requested " +
         amount_text(resource, more) + asked + ", but " + queue.name() + " quota is " +
         amount_text(resource, share.deserved) + unit + ", while " +
         amount_text(resource, share.allocated_non_preemptible) + unit +
         " are already allocated for non-preemptible pods. Use a preemptible workload to go over "
         "quota.";
}

}  // namespace

std::optional<JobFitError> over_queue_capacity(const QueueInfo* queue, const Job& job,
                                               const Quantities& more) {
  for (const QueueInfo* at = queue; at != nullptr; at = at->parent) {
    for (const Resource resource : kResources) {
      const ResourceShare& share = at->share(resource);
      if (share.max_allowed == kUnlimited || more[resource] == 0) continue;
      if (share.allocated + more[resource] > share.max_allowed) {
        return JobFitError{"OverLimit", limit_text(*at, resource, more[resource])};
      }
    }
  }
  if (job.settings.preemptible) return std::nullopt;
  for (const QueueInfo* at = queue; at != nullptr; at = at->parent) {
    for (const Resource resource : kResources) {
      const ResourceShare& share = at->share(resource);
      if (share.deserved == kUnlimited || more[resource] == 0) continue;
      if (share.allocated_non_preemptible + more[resource] > share.deserved) {
        return JobFitError{"NonPreemptibleOverQuota", quota_text(*at, resource, more[resource])};
      }
    }
  }
  return std::nullopt;
}

}  // namespace troupe::kai
