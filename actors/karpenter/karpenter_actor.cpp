#include "actors/karpenter/karpenter_actor.h"

#include "actors/karpenter/controllers.h"
#include "messages/assert.h"

namespace troupe::karpenter {

KarpenterActor::KarpenterActor(const hosts::KarpenterConfig& config)
    : manager_(config), controllers_(all_controllers(manager_, health_)) {}

void KarpenterActor::start(Context& context) {
  manager_.on_ready([this](Context& later) {
    for (const auto& controller : controllers_) controller->start(later);
  });
  manager_.start(context);
}

void KarpenterActor::receive(Context& context, const Delivery& delivery) {
  if (manager_.receive(context, delivery)) return;
  for (const auto& controller : controllers_) {
    if (controller->receive(context, delivery)) return;
  }
}

std::unique_ptr<Actor> make_karpenter(const Payload& host_start) {
  const auto& attachments = host_start.attachments();
  TROUPE_ASSERT(!attachments.empty() && attachments[0].as<hosts::KarpenterConfig>() != nullptr,
                "Karpenter begins from a KarpenterConfig");
  return std::make_unique<KarpenterActor>(*attachments[0].as<hosts::KarpenterConfig>());
}

}  // namespace troupe::karpenter
