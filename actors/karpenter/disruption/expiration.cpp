#include "actors/karpenter/disruption/expiration.h"

#include "actors/karpenter/lifecycle/claim_deletion.h"
#include "messages/units.h"

namespace troupe::karpenter {

std::optional<SimTime> expires_at(const NodeClaim& claim) {
  if (!claim.spec().has_expire_after() || claim.spec().expire_after() == "Never") {
    return std::nullopt;
  }
  const Result<Duration> life = parse_duration(claim.spec().expire_after());
  if (!life) return std::nullopt;
  return from_ns(claim.metadata().creation_timestamp()) + *life;
}

Expiration::Expiration(Manager& manager) : KeyedController({}), manager_(manager) {
  manager.claims.on_add(
      [this](Context& context, const auto& claim) { enqueue(context, claim->metadata().name()); });
}

void Expiration::reconcile(Context& context, const std::string& name) {
  const auto claim = manager_.claims.get(name);
  if (claim == nullptr || claim->metadata().has_deletion_timestamp()) return finish(context, name);
  const std::optional<SimTime> end = expires_at(*claim);
  if (!end) return finish(context, name);
  if (*end > context.now()) return finish(context, name, {.again = *end - context.now()});
  delete_claim(manager_, context, *claim, "expired",
               [this, name](Context& later, bool ok) { finish(later, name, {.ok = ok}); });
}

}  // namespace troupe::karpenter
