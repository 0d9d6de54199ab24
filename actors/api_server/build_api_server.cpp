// From the configuration of a host to its API server.
#include "actors/api_server/api_server_actor.h"
#include "actors/api_server/preload.h"
#include "messages/assert.h"

namespace troupe::apiserver {
namespace {

void apply_config(ApiServerActor::Options& options, const hosts::ApiServerConfig& config) {
  options.replica = config.replica();
  if (config.bookmark_period_ns() > 0) {
    options.bookmark_period = Duration(config.bookmark_period_ns());
  }
  if (config.compaction_ns() > 0) options.cache.compaction = Duration(config.compaction_ns());
}

void apply_config(ApiServerActor::Options& options, const api::WatchCacheConfig& config) {
  if (config.has_lag_ns()) options.lag = Duration(config.lag_ns());
  if (config.has_fresh_ns()) options.cache.fresh = Duration(config.fresh_ns());
  if (config.has_history_minimum()) options.cache.minimum = config.history_minimum();
  if (config.has_history_maximum()) options.cache.maximum = config.history_maximum();
}

}  // namespace

std::unique_ptr<Actor> build_api_server(const Payload& host_start) {
  ApiServerActor::Options options;
  std::vector<Payload> objects;
  for (const Payload& attachment : host_start.attachments()) {
    if (const auto* config = attachment.as<hosts::ApiServerConfig>()) {
      apply_config(options, *config);
    } else if (const auto* tuning = attachment.as<api::WatchCacheConfig>()) {
      apply_config(options, *tuning);
    } else {
      TROUPE_ASSERT(find_kind(*attachment.message().GetDescriptor()) != nullptr,
                    "an API server cannot begin with a " + attachment.type_name());
      objects.push_back(attachment);
    }
  }
  options.preload = prepare_preload(objects);
  return std::make_unique<ApiServerActor>(std::move(options));
}

}  // namespace troupe::apiserver
