#include "actors/karpenter/lifecycle/claim_deletion.h"

#include <string>
#include <utility>

#include "messages/facts.pb.h"

namespace troupe::karpenter {

void delete_claim(Manager& manager, Context& context, const NodeClaim& claim,
                  std::string_view reason, std::function<void(Context&, bool ok)> done) {
  facts::NodeClaimDeleted fact;
  fact.set_name(claim.metadata().name());
  fact.set_reason(std::string(reason));
  manager.api.remove(context, key_of(claim), {.uid = claim.metadata().uid()},
                     [fact, done = std::move(done)](Context& later, const ApiResult& result) {
                       if (result.ok()) later.emit(Payload::of(fact));
                       // 409: a claim of that name with another uid; the one that was meant is
                       // gone.
                       done(later, result.ok() || result.not_found() || result.conflict());
                     });
}

}  // namespace troupe::karpenter
