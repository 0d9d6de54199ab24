#include "actors/workloads/controller_manager.h"

#include <utility>

#include "actors/workloads/controller_list.h"

namespace troupe::workloads {

namespace {

/// Apart from the channels of the controllers, which count from 1.
constexpr std::uint32_t kOperatorsChannel = 100;

ApiClientOptions operators_client(const hosts::WorkloadControllersConfig& config) {
  ApiClientOptions options = ApiClientOptions::of(config.client());
  options.channel = kOperatorsChannel;
  return options;
}

}  // namespace

ControllerManager::ControllerManager(const hosts::WorkloadControllersConfig& config,
                                     const hosts::NodeLifecycleConfig& nodes)
    : api_(ApiClientOptions::of(config.client())),
      operators_api_(operators_client(config)),
      informers_(api_, operators_api_),
      controllers_(all_controllers(informers_, config, nodes)) {}

void ControllerManager::start(Context& context) {
  informers_.on_synced([this](Context& later) {
    for (const auto& controller : controllers_) controller->start(later);
  });
  informers_.start(context);
}

void ControllerManager::receive(Context& context, const Delivery& delivery) {
  if (api_.receive(context, delivery) || operators_api_.receive(context, delivery)) return;
  for (const auto& controller : controllers_) {
    if (controller->receive(context, delivery)) return;
  }
}

std::unique_ptr<Actor> build_controller_manager(const Payload& host_start) {
  hosts::WorkloadControllersConfig config;
  hosts::NodeLifecycleConfig nodes;
  for (const Payload& attachment : host_start.attachments()) {
    if (const auto* one = attachment.as<hosts::WorkloadControllersConfig>()) config = *one;
    if (const auto* one = attachment.as<hosts::NodeLifecycleConfig>()) nodes = *one;
  }
  return std::make_unique<ControllerManager>(config, nodes);
}

}  // namespace troupe::workloads
