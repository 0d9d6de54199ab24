#include "actors/karpenter/termination/claim_finalizer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "actors/karpenter/lifecycle/condition_types.h"
#include "actors/karpenter/scheduling/labels.h"
#include "actors/karpenter/termination/instance_end.h"
#include "actors/workloads/objects/metadata.h"
#include "messages/timestamp.h"
#include "messages/units.h"

namespace troupe::karpenter {
namespace {

bool needs_deadline(const NodeClaim& claim) {
  return claim.spec().has_termination_grace_period() &&
         find_label(claim.metadata().annotations(), kTerminationTimestampAnnotation) == nullptr;
}

}  // namespace

void ClaimFinalizer::finalize(Context& context, const Claim& claim, const Done& done) {
  if (!has_finalizer(claim->metadata(), kTerminationFinalizer)) return done(context, {});
  if (needs_deadline(*claim)) return set_deadline(context, claim, done);
  const auto nodes = manager_.state.nodes_of(claim->status().provider_id());
  if (condition_is(*claim, kRegistered) && !nodes.empty()) {
    return delete_nodes(context, nodes, done);
  }
  if (!claim->status().provider_id().empty()) return terminate(context, claim, done);
  remove_finalizer(context, claim, done);
}

void ClaimFinalizer::set_deadline(Context& context, const Claim& claim, const Done& done) {
  const Duration grace =
      parse_duration(claim->spec().termination_grace_period()).value_or(Duration::zero());
  NodeClaim updated = *claim;
  set_label(*updated.mutable_metadata()->mutable_annotations(), kTerminationTimestampAnnotation,
            print_timestamp(from_ns(claim->metadata().deletion_timestamp()) + grace));
  manager_.api.update(context, std::move(updated),
                      [this, done](Context& later, const ApiResult& result) {
                        const Claim written = result.as<NodeClaim>();
                        if (!result.ok() || written == nullptr)
                          return done(later, {.ok = result.not_found()});
                        finalize(later, written, done);
                      });
}

// The end of the last node brings the claim here again.
void ClaimFinalizer::delete_nodes(Context& context,
                                  const std::vector<std::shared_ptr<const k8s::Node>>& nodes,
                                  const Done& done) {
  const auto node = std::ranges::find_if(
      nodes, [](const auto& one) { return !one->metadata().has_deletion_timestamp(); });
  if (node == nodes.end()) return done(context, {});
  manager_.api.remove(context, key_of(**node), {.uid = (*node)->metadata().uid()},
                      [done, several = nodes.size() > 1](Context& later, const ApiResult& result) {
                        Outcome outcome{.ok = result.ok() || result.not_found()};
                        if (several) outcome.again = std::chrono::seconds(1);
                        done(later, outcome);
                      });
}

void ClaimFinalizer::terminate(Context& context, const Claim& claim, const Done& done) {
  end_instance(manager_, context, claim->status().provider_id(),
               [this, claim, done](Context& later, InstanceEnd end) {
                 if (end != InstanceEnd::Gone) {
                   return done(later, {.ok = end == InstanceEnd::Going, .again = kInstancePoll});
                 }
                 const auto left = manager_.state.nodes_of(claim->status().provider_id());
                 if (left.empty()) return remove_finalizer(later, claim, done);
                 delete_nodes(later, left, done);
               });
}

void ClaimFinalizer::remove_finalizer(Context& context, const Claim& claim, const Done& done) {
  NodeClaim updated = *claim;
  static_cast<void>(troupe::remove_finalizer(*updated.mutable_metadata(), kTerminationFinalizer));
  manager_.api.update(context, std::move(updated), [done](Context& later, const ApiResult& result) {
    done(later, {.ok = result.ok() || result.not_found()});
  });
}

}  // namespace troupe::karpenter
