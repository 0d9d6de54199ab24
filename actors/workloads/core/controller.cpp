#include "actors/workloads/core/controller.h"

#include <algorithm>

namespace troupe::workloads {

ControllerOptions controller_options(const hosts::WorkloadControllersConfig& config,
                                     std::uint32_t index, std::uint32_t default_workers) {
  ControllerOptions options;
  options.client = ApiClientOptions::of(config.client());
  options.client.channel = index;
  options.workers = config.workers() != 0 ? config.workers() : default_workers;
  if (config.sync_cost_ns() != 0) options.sync_cost = Duration(config.sync_cost_ns());
  if (config.sync_cost_per_pod_ns() != 0) {
    options.sync_cost_per_pod = Duration(config.sync_cost_per_pod_ns());
  }
  return options;
}

SyncingController::SyncingController(SharedInformers& informers, const ControllerOptions& options,
                                     std::string name, WorkQueueOptions queue)
    : informers_(informers),
      options_(options),
      api_(options.client),
      events_(api_, std::move(name)),
      queue_(
          [&] {
            queue.workers = options.workers;
            return queue;
          }(),
          [this](Context& context, const std::string& key) { sync(context, key); }) {}

void SyncingController::start(Context& context) {
  started_ = true;
  for (const std::string& key : std::exchange(early_, {})) queue_.add(context, key);
}

bool SyncingController::receive(Context& context, const Delivery& delivery) {
  return api_.receive(context, delivery) || queue_.receive(context, delivery);
}

void SyncingController::enqueue(Context& context, const std::string& key) {
  if (started_) {
    queue_.add(context, key);
  } else {
    early_.insert(key);
  }
}

void SyncingController::enqueue_after(Context& context, const std::string& key, Duration delay) {
  if (started_) {
    queue_.add_after(context, key, delay);
  } else {
    early_.insert(key);
  }
}

void SyncingController::finish(Context& context, const std::string& key, bool ok) {
  if (ok) {
    queue_.forget(key);
  } else {
    queue_.retry(context, key);
  }
  queue_.done(context, key);
}

void SyncingController::after_deciding(Context& context, std::int64_t pods,
                                       std::function<void(Context&)> act) {
  const Duration cost = options_.sync_cost + pods * options_.sync_cost_per_pod;
  api_.timers().after(context, cost, "sync", std::move(act));
}

void SyncingController::record(Context& context, const google::protobuf::Message& object,
                               std::string type, std::string reason, std::string message) {
  events_.record(context, object, {std::move(type), std::move(reason), std::move(message)});
}

}  // namespace troupe::workloads
