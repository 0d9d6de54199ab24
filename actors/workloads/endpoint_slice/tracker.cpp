#include "actors/workloads/endpoint_slice/tracker.h"

#include <algorithm>

#include "actors/api_client/object_key.h"
#include "actors/workloads/objects/owners.h"

namespace troupe::workloads {
namespace {

std::int64_t revision(const k8s::EndpointSlice& slice) {
  return revision_of(slice.metadata().resource_version());
}

std::string owner_of(const k8s::EndpointSlice& slice) {
  return std::string(controller_uid(slice.metadata()));
}

}  // namespace

void SliceTracker::written(const k8s::EndpointSlice& slice) {
  services_[owner_of(slice)][slice.metadata().uid()] = revision(slice);
}

void SliceTracker::deleting(const k8s::EndpointSlice& slice) {
  services_[owner_of(slice)][slice.metadata().uid()] = kGoing;
}

bool SliceTracker::vanished(const k8s::EndpointSlice& slice) {
  const auto service = services_.find(owner_of(slice));
  if (service == services_.end()) return false;
  const auto tracked = service->second.find(slice.metadata().uid());
  if (tracked == service->second.end()) return false;
  const bool unexpected = tracked->second != kGoing;
  service->second.erase(tracked);
  return unexpected;
}

bool SliceTracker::is_news(const k8s::EndpointSlice& slice) const {
  const auto service = services_.find(owner_of(slice));
  if (service == services_.end()) return true;
  const auto tracked = service->second.find(slice.metadata().uid());
  return tracked == service->second.end() || revision(slice) > tracked->second;
}

bool SliceTracker::is_stale(const std::string& service_uid,
                            const std::vector<SlicePtr>& slices) const {
  const auto found = services_.find(service_uid);
  if (found == services_.end()) return false;
  Revisions missing = found->second;
  std::erase_if(missing, [](const auto& entry) { return entry.second == kGoing; });
  for (const SlicePtr& slice : slices) {
    const std::string& uid = slice->metadata().uid();
    const auto tracked = found->second.find(uid);
    if (tracked == found->second.end()) continue;
    if (tracked->second == kGoing || tracked->second > revision(*slice)) return true;
    missing.erase(uid);
  }
  return !missing.empty();
}

}  // namespace troupe::workloads
