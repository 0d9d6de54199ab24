#include "actors/telemetry/scrape_reply.h"

namespace troupe::telemetry {

void reply_to_scrape(Context& context, const Delivery& delivery, const ScrapeRequest& request,
                     const std::vector<Sample>& samples) {
  ScrapeReply reply;
  reply.set_request_id(request.request_id());
  reply.mutable_samples()->Add(samples.begin(), samples.end());
  context.send(
      delivery.sender, Payload::of(std::move(reply)),
      {.link = Link::Scrape, .object = delivery.sender.actor, .version = request.request_id()});
}

}  // namespace troupe::telemetry
