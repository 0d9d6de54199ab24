#include "actors/serving/closed_port.h"

#include "messages/runtime.pb.h"
#include "messages/telemetry.pb.h"

namespace troupe::serving {

void refuse(Context& context, const Delivery& delivery) {
  const bool is_scrape = delivery.as<telemetry::ScrapeRequest>() != nullptr;
  context.send(delivery.sender, Payload::of(runtime::ConnectionRefused{}, {delivery.payload}),
               {.link = is_scrape ? Link::Scrape : Link::DataPlane,
                .object = delivery.payload.hash(),
                .version = 0});
}

}  // namespace troupe::serving
