// How Karpenter deletes a claim of its own: with the reason, for those who watch the run.
#pragma once

#include <string_view>

#include "actors/karpenter/manager.h"

namespace troupe::karpenter {

/// Deletes the claim, whose finalizers then do the rest, and emits NodeClaimDeleted with the reason
/// (in the words of Karpenter's metric: "insufficient_capacity", "empty", "expired", ...) once that
/// is accepted. `done` hears true also where the claim was gone already.
void delete_claim(Manager& manager, Context& context, const NodeClaim& claim,
                  std::string_view reason, std::function<void(Context&, bool ok)> done);

}  // namespace troupe::karpenter
