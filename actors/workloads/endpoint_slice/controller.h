// Keeps the EndpointSlices of Services that have a selector.
//
// kubernetes/kubernetes, pkg/controller/endpointslice. A change of a pod is taken up at once
// (endpointUpdatesBatchPeriod is 0 by default), a change of a slice by someone else after a second.
// The slices of a Service that is gone are the garbage collector's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/workloads/core/controller.h"
#include "actors/workloads/core/selected_pods.h"
#include "actors/workloads/endpoint_slice/plan.h"
#include "actors/workloads/endpoint_slice/tracker.h"

namespace troupe::workloads {

class EndpointSliceController final : public SyncingController {
 public:
  EndpointSliceController(SharedInformers& informers, const ControllerOptions& options);

 protected:
  void sync(Context& context, const std::string& key) override;

 private:
  using ServicePtr = std::shared_ptr<const k8s::Service>;
  /// One sync's writes, one after the other, and how far they have got.
  struct Writes {
    std::string key;
    ServicePtr service;
    SlicePlan plan;
    std::size_t next = 0;
  };
  using WritesPtr = std::shared_ptr<Writes>;

  void watch_services();
  void watch_pods();
  void watch_slices();
  void on_service(Context& context, const ServicePtr& service);
  void enqueue_all(Context& context, const SelectedPods::Keys& services);
  void enqueue_owner(Context& context, const k8s::EndpointSlice& slice);
  [[nodiscard]] std::vector<SlicePtr> slices_of(const std::string& service) const;
  void write_next(Context& context, const WritesPtr& writes);
  void written(Context& context, const WritesPtr& writes, const ApiResult& result);
  void end(Context& context, const WritesPtr& writes, const std::string& error);

  SelectedPods members_;
  SliceTracker tracker_;
};

}  // namespace troupe::workloads
