#include "actors/telemetry/node_summary.h"

namespace troupe::telemetry {

void NodeSummaryActor::receive(Context& context, const Delivery& delivery) {
  if (const auto* request = delivery.as<NodeSummaryRequest>()) {
    answer(context, delivery, *request);
  } else if (const auto* usage = delivery.as<ContainerUsageReply>()) {
    last_.set_collected_ns(to_ns(context.now()));
    *last_.mutable_containers() = usage->containers();
  } else if (delivery.as<CollectDue>() != nullptr) {
    looking_ = false;
    if (context.now() - last_asked_ < kIdle) look(context);
  }
}

void NodeSummaryActor::look(Context& context) {
  ContainerUsageRequest request;
  request.set_request_id(++round_);
  context.send(address_of(kubelet_), Payload::of(std::move(request)),
               {.link = Link::Scrape, .version = round_});
  context.set_timer(kHousekeeping, Payload::of(CollectDue{}));
  looking_ = true;
}

void NodeSummaryActor::answer(Context& context, const Delivery& delivery,
                              const NodeSummaryRequest& request) {
  last_asked_ = context.now();
  NodeSummaryReply reply = last_;
  reply.set_request_id(request.request_id());
  context.send(
      delivery.sender, Payload::of(std::move(reply)),
      {.link = Link::Scrape, .object = delivery.sender.actor, .version = request.request_id()});
  if (!looking_) look(context);
}

}  // namespace troupe::telemetry
