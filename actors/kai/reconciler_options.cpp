#include "actors/kai/reconciler_options.h"

namespace troupe::kai {
namespace {

constexpr std::uint32_t kEventChannel = 1;
constexpr std::uint32_t kWorkers = 10;
constexpr Duration kBackoffMin = std::chrono::seconds(1);
constexpr Duration kBackoffMax = std::chrono::seconds(60);

}  // namespace

ApiClientOptions events_client(const hosts::ControllerClient& config) {
  ApiClientOptions options = ApiClientOptions::of(config);
  options.channel = kEventChannel;
  return options;
}

WorkQueueOptions reconciler_queue(std::uint32_t workers, std::int64_t backoff_min_ns,
                                  std::int64_t backoff_max_ns) {
  WorkQueueOptions options;
  options.workers = workers > 0 ? workers : kWorkers;
  options.backoff_min = backoff_min_ns > 0 ? Duration{backoff_min_ns} : kBackoffMin;
  options.backoff_max = backoff_max_ns > 0 ? Duration{backoff_max_ns} : kBackoffMax;
  options.retry_qps = 0;
  return options;
}

}  // namespace troupe::kai
