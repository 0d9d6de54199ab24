// KAI's binder: carries out bind requests, ten at a time.
//
// It finds the pod by name, says on it what kind of GPU it received, binds it, and writes how that
// ended into the request. After a failure it tries once more; that attempt's end is not written any
// more, whatever it is, and says "Bound": the request's phase has not changed (KAI issues 2074,
// 2075 and 2155). What really retries is the scheduler, which deletes a failed request and decides
// again. Not modelled yet: shared GPUs with their reservation pods, volumes, resource claims.
#pragma once

#include <memory>
#include <string>

#include "actors/actor.h"
#include "actors/api_client/event_recorder.h"
#include "actors/api_client/informer.h"
#include "actors/api_client/work_queue.h"
#include "messages/hosts.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/kai.pb.h"

namespace troupe::kai {

class BinderActor final : public Actor {
 public:
  explicit BinderActor(hosts::KaiBinderConfig config);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  using Request = std::shared_ptr<const BindRequest>;
  using PodObject = std::shared_ptr<const k8s::Pod>;

  void reconcile(Context& context, const std::string& path);
  void announce(Context& context, const Request& request, const PodObject& pod);
  void bind(Context& context, const Request& request, const PodObject& pod);
  /// `error` is empty where the pod is bound; a null `pod` was not found.
  void finish(Context& context, const Request& request, const PodObject& pod, std::string error);
  void end(Context& context, const Request& request, const PodObject& pod,
           const std::string& error);
  void say(Context& context, const BindRequest& request, const k8s::Pod& pod,
           const std::string& error);

  ApiClient api_;
  ApiClient events_api_;
  EventRecorder events_;
  Informer<BindRequest> requests_;
  Informer<k8s::Pod> pods_;
  Informer<k8s::Node> nodes_;
  WorkQueue queue_;
};

}  // namespace troupe::kai
