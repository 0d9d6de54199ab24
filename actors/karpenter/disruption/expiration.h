// Claims end at their creation plus spec.expireAfter, whatever runs on them: no budget counts and
// no replacement is waited for.
//
// Karpenter v1, pkg/controllers/nodeclaim/expiration.
#pragma once

#include <optional>
#include <string>

#include "actors/karpenter/controller.h"
#include "actors/karpenter/manager.h"

namespace troupe::karpenter {

/// Nothing for "Never".
[[nodiscard]] std::optional<SimTime> expires_at(const NodeClaim& claim);

class Expiration final : public KeyedController {
 public:
  explicit Expiration(Manager& manager);

 protected:
  void reconcile(Context& context, const std::string& name) override;

 private:
  Manager& manager_;
};

}  // namespace troupe::karpenter
