// How the slices of a Service are brought to say what its pods are, with few writes.
//
// kubernetes/kubernetes, staging/src/k8s.io/endpointslice/reconciler.go. Each write of a slice goes
// to every watcher of it, so endpoints stay in the slice where they are; new ones go into slices
// that must be written anyway, then into one slice that has room, then into new ones; slices are
// never evened out. A Service without endpoints has one empty slice. Where ports have names, pods
// may have different numbers for them: each set of ports has slices of its own.
// Not modelled: hints of topology, and the annotation of the moment of the last change.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/workloads/core/pod_index.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/discovery.pb.h"

namespace troupe::workloads {

/// kube-controller-manager: --max-endpoints-per-slice.
inline constexpr std::size_t kMaxEndpointsPerSlice = 100;

inline constexpr std::string_view kServiceNameLabel = "kubernetes.io/service-name";
inline constexpr std::string_view kManagedByLabel = "endpointslice.kubernetes.io/managed-by";
inline constexpr std::string_view kSliceManager = "endpointslice-controller.k8s.io";
inline constexpr std::string_view kHeadlessLabel = "service.kubernetes.io/headless";

using SlicePtr = std::shared_ptr<const k8s::EndpointSlice>;
/// The node of that name, or null.
using NodeLookup = std::function<std::shared_ptr<const k8s::Node>(const std::string& name)>;

struct SlicePlan {
  std::vector<k8s::EndpointSlice> create;
  std::vector<k8s::EndpointSlice> update;
  std::vector<SlicePtr> remove;
  std::vector<PodPtr> without_node;  ///< left out, since their node is not known (yet)
};

/// `existing`: the slices that this controller manages for the Service, without those that are
/// being deleted.
[[nodiscard]] SlicePlan plan_slices(const k8s::Service& service,
                                    const std::map<std::string, PodPtr>& pods,
                                    const NodeLookup& node_of,
                                    const std::vector<SlicePtr>& existing);

}  // namespace troupe::workloads
