// Notices of the cloud that an instance will be taken back: its claim is deleted at once, so that
// the drain has what is left of the time, and its offering is not tried again for a while.
//
// Runs if an interruption queue is configured. Notices may come twice and in any order. Karpenter
// for AWS, pkg/controllers/interruption. Modelled: spot interruption.
#pragma once

#include "actors/karpenter/controller.h"
#include "actors/karpenter/manager.h"
#include "messages/cloud.pb.h"

namespace troupe::karpenter {

class InterruptionController final : public Controller {
 public:
  explicit InterruptionController(Manager& manager) : manager_(manager) {}

  void start(Context& context) override { manager_.cloud.subscribe_interruptions(context); }
  bool receive(Context& context, const Delivery& delivery) override;

 private:
  void interrupted(Context& context, const cloud::InterruptionNotice& notice);

  Manager& manager_;
};

}  // namespace troupe::karpenter
