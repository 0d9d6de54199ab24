#include "actors/kai/binder_actor.h"

#include <utility>

#include "actors/kai/names.h"
#include "actors/kai/reconciler_options.h"
#include "actors/scheduling/pod_status.h"
#include "messages/labels.h"

namespace troupe::kai {
namespace {

std::string path_of_pod(const BindRequest& request) {
  return request.metadata().namespace_() + "/" + request.spec().pod_name();
}

}  // namespace

BinderActor::BinderActor(hosts::KaiBinderConfig config)
    : api_(ApiClientOptions::of(config.client())),
      events_api_(events_client(config.client())),
      events_(events_api_, "binder", config.write_events()),
      requests_(api_),
      pods_(api_),
      nodes_(api_),
      queue_(reconciler_queue(config.workers(), config.backoff_min_ns(), config.backoff_max_ns()),
             [this](Context& context, const std::string& path) { reconcile(context, path); }) {
  requests_.on_add([this](Context& context, const Request& request) {
    queue_.add(context, path_of(request->metadata()));
  });
  requests_.on_update([this](Context& context, const Request&, const Request& after) {
    queue_.add(context, path_of(after->metadata()));
  });
}

void BinderActor::start(Context& context) {
  pods_.start(context);
  nodes_.start(context);
  requests_.start(context);
}

void BinderActor::receive(Context& context, const Delivery& delivery) {
  if (api_.receive(context, delivery) || events_api_.receive(context, delivery)) return;
  queue_.receive(context, delivery);
}

void BinderActor::reconcile(Context& context, const std::string& path) {
  const Request request = requests_.get(path);
  const bool needs_work = request && !request->metadata().has_deletion_timestamp() &&
                          request->status().phase() != "Succeeded";
  if (!needs_work) {
    queue_.forget(path);
    queue_.done(context, path);
    return;
  }
  const PodObject pod = pods_.get(path_of_pod(*request));
  if (!pod) {
    finish(context, request, nullptr, "pods \"" + request->spec().pod_name() + "\" not found");
  } else if (!pod->spec().node_name().empty()) {
    finish(context, request, pod, "");
  } else if (!nodes_.get(request->spec().selected_node())) {
    finish(context, request, pod, "nodes \"" + request->spec().selected_node() + "\" not found");
  } else {
    announce(context, request, pod);
  }
}

void BinderActor::announce(Context& context, const Request& request, const PodObject& pod) {
  k8s::Pod partial = scheduling::partial_of(*pod);
  set_label(*partial.mutable_metadata()->mutable_annotations(), kReceivedTypeAnnotation,
            request->spec().received_resource_type());
  api_.patch(context, std::move(partial), {},
             [this, request, pod](Context& later, const ApiResult& result) {
               if (result.ok()) {
                 bind(later, request, pod);
               } else {
                 finish(later, request, pod,
                        "failed to patch pod <" + path_of_pod(*request) +
                            "> with resource receive type annotation: " + result.message);
               }
             });
}

void BinderActor::bind(Context& context, const Request& request, const PodObject& pod) {
  api_.bind(context, key_of(*pod), pod->metadata().uid(), request->spec().selected_node(),
            [this, request, pod](Context& later, const ApiResult& result) {
              std::string error;
              if (!result.ok()) {
                error = "failed to bind pod <" + path_of_pod(*request) + "> to node <" +
                        request->spec().selected_node() + ">: " + result.message;
              }
              finish(later, request, pod, std::move(error));
            });
}

void BinderActor::finish(Context& context, const Request& request, const PodObject& pod,
                         std::string error) {
  // The status is written only where the phase changes; a second failure counts for a success from
  // here on.
  if (request->status().phase() == "Failed" && !error.empty()) {
    end(context, request, pod, "");
    return;
  }
  BindRequest partial;
  partial.mutable_metadata()->set_name(request->metadata().name());
  partial.mutable_metadata()->set_namespace_(request->metadata().namespace_());
  partial.mutable_status()->set_phase(error.empty() ? "Succeeded" : "Failed");
  if (!error.empty()) partial.mutable_status()->set_reason(error);
  api_.patch(context, std::move(partial), {.subresource = "status"},
             [this, request, pod, error = std::move(error)](Context& later, const ApiResult&) {
               end(later, request, pod, error);
             });
}

void BinderActor::end(Context& context, const Request& request, const PodObject& pod,
                      const std::string& error) {
  if (pod) say(context, *request, *pod, error);
  const std::string path = path_of(request->metadata());
  if (error.empty()) {
    queue_.forget(path);
  } else {
    queue_.retry(context, path);
  }
  queue_.done(context, path);
}

void BinderActor::say(Context& context, const BindRequest& request, const k8s::Pod& pod,
                      const std::string& error) {
  const bool bound = error.empty();
  const std::string reason = bound ? "Bound" : "BindingError";
  const std::string& node = request.spec().selected_node();
  const std::string message =
      bound ? "Pod bound successfully to node " + node
            : "Failed to bind pod " + path_of_pod(request) + " to node " + node + ": " + error;
  events_.record(context, pod, {bound ? "Normal" : "Warning", reason, message});
  auto patch = scheduling::condition_patch(
      pod, {"PodBound", bound ? "True" : "False", reason, message}, context.now());
  if (!patch) return;
  api_.patch(context, std::move(*patch), {.subresource = "status", .strategic = true},
             [](Context&, const ApiResult&) {});
}

}  // namespace troupe::kai
