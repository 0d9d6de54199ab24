// What a NodeClaim's finalizer stands for: its node drained and gone, its instance terminated.
//
// Karpenter v1, pkg/controllers/nodeclaim/lifecycle/controller.go: finalize. The Node of a claim
// that never registered is not drained; it goes when its instance is gone, which in life is the
// cloud controller manager's work.
#pragma once

#include <functional>
#include <memory>

#include "actors/karpenter/controller.h"
#include "actors/karpenter/manager.h"

namespace troupe::karpenter {

class ClaimFinalizer {
 public:
  using Claim = std::shared_ptr<const NodeClaim>;
  using Done = std::function<void(Context&, const Outcome&)>;

  explicit ClaimFinalizer(Manager& manager) : manager_(manager) {}

  /// Takes the next step for a claim that is being deleted.
  void finalize(Context& context, const Claim& claim, const Done& done);

 private:
  void set_deadline(Context& context, const Claim& claim, const Done& done);
  void delete_nodes(Context& context, const std::vector<std::shared_ptr<const k8s::Node>>& nodes,
                    const Done& done);
  void terminate(Context& context, const Claim& claim, const Done& done);
  void remove_finalizer(Context& context, const Claim& claim, const Done& done);

  Manager& manager_;
};

}  // namespace troupe::karpenter
