#include "actors/api_client/elected_controller.h"

#include <utility>

#include "messages/fault.pb.h"
#include "messages/runtime.pb.h"

namespace troupe {
namespace {

/// A container that exits for the first time in a while is started again without back-off: what a
/// process needs to begin.
constexpr Duration kRestart = std::chrono::seconds(1);

// The original logs "leaderelection lost" and exits.
void exit_process(Context& context) {
  fault::CrashHost crash;
  crash.set_restarts(true);
  crash.set_restart_after_ns(kRestart.count());
  context.send(address_of(context.path()), Payload::of(std::move(crash)), {});
}

}  // namespace

ElectedController::ElectedController(const hosts::LeaderElection& config, Build build)
    : election_(config), build_(std::move(build)) {}

void ElectedController::start(Context& context) {
  election_.start(
      context, [this](Context& later) { lead(later); }, exit_process);
}

void ElectedController::receive(Context& context, const Delivery& delivery) {
  if (election_.receive(context, delivery)) return;
  if (delivery.as<runtime::Restored>() != nullptr) {
    restored_ = delivery;
  } else if (controller_) {
    controller_->receive(context, delivery);
  }
}

void ElectedController::lead(Context& context) {
  controller_ = build_();
  controller_->start(context);
  if (restored_) controller_->receive(context, *std::exchange(restored_, std::nullopt));
}

const hosts::LeaderElection* election_of(const Payload& host_start) {
  for (const Payload& attachment : host_start.attachments()) {
    if (const auto* election = attachment.as<hosts::LeaderElection>()) return election;
  }
  return nullptr;
}

}  // namespace troupe
