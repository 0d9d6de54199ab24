// The answering half of a scrape, for everything that exposes /metrics.
#pragma once

#include <vector>

#include "actors/actor.h"
#include "actors/context.h"
#include "messages/telemetry.pb.h"

namespace troupe::telemetry {

/// Sends `samples` back to whoever scraped.
void reply_to_scrape(Context& context, const Delivery& delivery, const ScrapeRequest& request,
                     const std::vector<Sample>& samples);

}  // namespace troupe::telemetry
