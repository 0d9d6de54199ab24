#include "actors/karpenter/interruption/interruption_controller.h"

#include <string>

#include "actors/karpenter/lifecycle/claim_deletion.h"
#include "actors/karpenter/scheduling/labels.h"

namespace troupe::karpenter {

bool InterruptionController::receive(Context& context, const Delivery& delivery) {
  const auto* notice = delivery.as<cloud::InterruptionNotice>();
  if (notice == nullptr) return false;
  interrupted(context, *notice);
  return true;
}

void InterruptionController::interrupted(Context& context,
                                         const cloud::InterruptionNotice& notice) {
  manager_.mark_unavailable(context,
                            {{notice.instance_type(), notice.zone(), std::string(kCapacitySpot)}});
  const auto claim = manager_.state.claim_of(notice.id());
  if (claim == nullptr || claim->metadata().has_deletion_timestamp()) return;
  manager_.events.record(context, *claim,
                         {"Warning", "SpotInterrupted", "Spot interruption warning was triggered"});
  delete_claim(manager_, context, *claim, "spot_interrupted", [](Context&, bool) {});
}

}  // namespace troupe::karpenter
