// What the controller has written to slices and may not have seen yet.
//
// Its cache is late. Deciding on slices that are older than its own last write, it would undo that
// write; so it remembers the version of each and waits until the watch has shown it.
// kubernetes/kubernetes, staging/src/k8s.io/endpointslice/util/endpointslice_tracker.go, which
// counts in generations where this counts in resource versions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/workloads/endpoint_slice/plan.h"

namespace troupe::workloads {

class SliceTracker {
 public:
  void written(const k8s::EndpointSlice& slice);
  void deleting(const k8s::EndpointSlice& slice);
  /// The watch has shown that the slice is gone; true if that was not to be expected.
  bool vanished(const k8s::EndpointSlice& slice);
  void forget(const std::string& service_uid) { services_.erase(service_uid); }

  /// True of a version that is not the controller's own doing.
  [[nodiscard]] bool is_news(const k8s::EndpointSlice& slice) const;
  /// True if these slices of the Service are not what the controller has made of them.
  [[nodiscard]] bool is_stale(const std::string& service_uid,
                              const std::vector<SlicePtr>& slices) const;

 private:
  static constexpr std::int64_t kGoing = -1;
  /// By the slice's uid: the revision written, or kGoing.
  using Revisions = std::map<std::string, std::int64_t>;

  std::map<std::string, Revisions> services_;  ///< by uid: a new Service of an old name is another
};

}  // namespace troupe::workloads
