#include "actors/karpenter/termination/instance_end.h"

#include <utility>

#include "actors/karpenter/lifecycle/condition_types.h"

namespace troupe::karpenter {
namespace {

constexpr std::string_view kNotFound = "InvalidInstanceID.NotFound";

/// Best effort: the next poll comes by here again.
void note_terminating(Manager& manager, Context& context, const std::string& provider_id) {
  const auto claim = manager.state.claim_of(provider_id);
  if (claim == nullptr || condition_is(*claim, kInstanceTerminating)) return;
  NodeClaim noted = *claim;
  set_true(noted, kInstanceTerminating, context.now());
  manager.api.update_status(context, std::move(noted), [](Context&, const ApiResult&) {});
}

}  // namespace

void end_instance(Manager& manager, Context& context, const std::string& provider_id,
                  std::function<void(Context&, InstanceEnd)> done) {
  manager.cloud.terminate(context, provider_id,
                          [&manager, provider_id, done = std::move(done)](
                              Context& later, const cloud::TerminateInstanceReply* reply) {
                            if (reply == nullptr) return done(later, InstanceEnd::Unknown);
                            if (reply->error() == kNotFound) return done(later, InstanceEnd::Gone);
                            note_terminating(manager, later, provider_id);
                            done(later, InstanceEnd::Going);
                          });
}

}  // namespace troupe::karpenter
