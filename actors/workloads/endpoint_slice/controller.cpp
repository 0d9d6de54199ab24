#include "actors/workloads/endpoint_slice/controller.h"

#include <utility>

#include "actors/workloads/endpoint_slice/endpoints.h"
#include "actors/workloads/objects/metadata.h"
#include "actors/workloads/objects/pods.h"
#include "messages/selector.h"

namespace troupe::workloads {
namespace {

/// endpointSliceChangeMinSyncDelay.
constexpr Duration kSliceChangeDelay = std::chrono::seconds(1);
/// defaultSyncBackOff and maxSyncBackOff.
constexpr WorkQueueOptions kQueue{.backoff_min = std::chrono::seconds(1),
                                  .backoff_max = std::chrono::seconds(1000)};

/// A Service without a selector has slices that someone else writes.
bool has_slices(const k8s::Service& service) {
  return !service.spec().selector().empty() && service.spec().type() != "ExternalName";
}

/// "namespace/name" of the Service that a slice is labelled with.
std::string service_of(const k8s::EndpointSlice& slice) {
  const k8s::ObjectMeta& meta = slice.metadata();
  return meta.namespace_() + "/" + std::string(label_or(meta.labels(), kServiceNameLabel));
}

bool is_managed(const k8s::EndpointSlice& slice) {
  return has_label(slice.metadata().labels(), kManagedByLabel, kSliceManager);
}

}  // namespace

EndpointSliceController::EndpointSliceController(SharedInformers& informers,
                                                 const ControllerOptions& options)
    : SyncingController(informers, options, "endpoint-slice-controller", kQueue),
      members_(informers.pods) {
  watch_services();
  watch_pods();
  watch_slices();
}

void EndpointSliceController::watch_services() {
  informers_.services.on_add(
      [this](Context& context, const ServicePtr& service) { on_service(context, service); });
  informers_.services.on_update([this](Context& context, const ServicePtr&,
                                       const ServicePtr& after) { on_service(context, after); });
  informers_.services.on_delete([this](Context&, const ServicePtr& service) {
    members_.forget(path_of(service->metadata()));
    tracker_.forget(service->metadata().uid());
  });
}

void EndpointSliceController::watch_pods() {
  informers_.pods.on_add(
      [this](Context& context, const PodPtr& pod) { enqueue_all(context, members_.set(pod)); });
  informers_.pods.on_update([this](Context& context, const PodPtr& before, const PodPtr& after) {
    const SelectedPods::Keys services = members_.set(after);
    if (changes_endpoints(*before, *after)) enqueue_all(context, services);
  });
  informers_.pods.on_delete(
      [this](Context& context, const PodPtr& pod) { enqueue_all(context, members_.erase(*pod)); });
}

void EndpointSliceController::watch_slices() {
  informers_.endpoint_slices.on_add([this](Context& context, const SlicePtr& slice) {
    if (is_managed(*slice) && tracker_.is_news(*slice)) enqueue_owner(context, *slice);
  });
  informers_.endpoint_slices.on_update(
      [this](Context& context, const SlicePtr& before, const SlicePtr& after) {
        if (service_of(*before) != service_of(*after)) {
          enqueue_owner(context, *before);
          enqueue_owner(context, *after);
        } else if (is_managed(*before) != is_managed(*after) ||
                   (is_managed(*after) && tracker_.is_news(*after))) {
          enqueue_owner(context, *after);
        }
      });
  informers_.endpoint_slices.on_delete([this](Context& context, const SlicePtr& slice) {
    if (is_managed(*slice) && tracker_.vanished(*slice)) enqueue_owner(context, *slice);
  });
}

void EndpointSliceController::on_service(Context& context, const ServicePtr& service) {
  const std::string key = path_of(service->metadata());
  if (has_slices(*service)) {
    members_.select(key, [service](const LabelMap& labels) {
      return contains_all(labels, service->spec().selector());
    });
  } else {
    members_.forget(key);
  }
  enqueue(context, key);
}

void EndpointSliceController::enqueue_all(Context& context, const SelectedPods::Keys& services) {
  for (const std::string& key : services) enqueue(context, key);
}

void EndpointSliceController::enqueue_owner(Context& context, const k8s::EndpointSlice& slice) {
  enqueue_after(context, service_of(slice), kSliceChangeDelay);
}

std::vector<SlicePtr> EndpointSliceController::slices_of(const std::string& service) const {
  std::vector<SlicePtr> found;
  const std::string prefix = service.substr(0, service.find('/') + 1);
  const auto& cache = informers_.endpoint_slices.cache();
  for (auto at = cache.lower_bound(prefix); at != cache.end() && at->first.starts_with(prefix);
       ++at) {
    const SlicePtr& slice = at->second;
    if (is_managed(*slice) && service_of(*slice) == service &&
        !slice->metadata().has_deletion_timestamp()) {
      found.push_back(slice);
    }
  }
  return found;
}

void EndpointSliceController::sync(Context& context, const std::string& key) {
  const ServicePtr service = informers_.services.get(key);
  if (service == nullptr || !has_slices(*service)) {
    finish(context, key);
    return;
  }
  const std::vector<SlicePtr> existing = slices_of(key);
  if (tracker_.is_stale(service->metadata().uid(), existing)) {
    finish(context, key, false);
    return;
  }
  const auto& pods = members_.of(key);
  const auto writes = std::make_shared<Writes>(Writes{key, service, {}});
  writes->plan = plan_slices(
      *service, pods, [this](const std::string& name) { return informers_.nodes.get(name); },
      existing);
  // Slices made now would race with the garbage collector.
  if (service->metadata().has_deletion_timestamp()) writes->plan.create.clear();
  after_deciding(context, static_cast<std::int64_t>(pods.size()),
                 [this, writes](Context& later) { write_next(later, writes); });
}

void EndpointSliceController::write_next(Context& context, const WritesPtr& writes) {
  SlicePlan& plan = writes->plan;
  const auto done = [this, writes](Context& later, const ApiResult& result) {
    written(later, writes, result);
  };
  std::size_t index = writes->next++;
  if (index < plan.create.size()) {
    api_.create(context, std::move(plan.create[index]), done);
    return;
  }
  index -= plan.create.size();
  if (index < plan.update.size()) {
    api_.update(context, std::move(plan.update[index]), done);
    return;
  }
  index -= plan.update.size();
  if (index < plan.remove.size()) {
    const SlicePtr slice = plan.remove[index];
    api_.remove(context, key_of(*slice), {},
                [this, writes, slice](Context& later, const ApiResult& result) {
                  if (result.ok()) tracker_.deleting(*slice);
                  const bool gone = result.ok() || result.not_found();
                  written(later, writes, gone ? ApiResult{.code = 200} : result);
                });
    return;
  }
  std::string error;
  for (const PodPtr& pod : plan.without_node) {
    if (!error.empty()) error += ", ";
    error += "skipping Pod " + pod->metadata().name() + " for Service " + writes->key + ": Node " +
             pod->spec().node_name() + " Not Found";
  }
  end(context, writes, error);
}

void EndpointSliceController::written(Context& context, const WritesPtr& writes,
                                      const ApiResult& result) {
  if (!result.ok()) {
    end(context, writes, result.message);
    return;
  }
  if (const auto slice = result.as<k8s::EndpointSlice>()) tracker_.written(*slice);
  write_next(context, writes);
}

void EndpointSliceController::end(Context& context, const WritesPtr& writes,
                                  const std::string& error) {
  if (!error.empty()) {
    record(context, *writes->service, "Warning", "FailedToUpdateEndpointSlices",
           "Error updating Endpoint Slices for Service " + writes->key + ": " + error);
  }
  finish(context, writes->key, error.empty());
}

}  // namespace troupe::workloads
