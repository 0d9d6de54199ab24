// Deletes nodes that run nothing that would have to go elsewhere: all of them in one command, as
// far as budgets allow.
#pragma once

#include "actors/karpenter/disruption/method.h"

namespace troupe::karpenter {

class Emptiness final : public Method {
 public:
  /// Karpenter v1, pkg/controllers/disruption/consolidation.go: consolidationTTL. Pods that bind in
  /// the meantime save their node.
  static constexpr Duration kValidationDelay = std::chrono::seconds(15);

  [[nodiscard]] std::string_view reason() const override { return "Empty"; }
  [[nodiscard]] bool wants(const Candidate& candidate) const override;
  [[nodiscard]] std::vector<Candidate> choose(std::vector<Candidate> candidates,
                                              Budgets& budgets) const override;
  [[nodiscard]] Duration validation_delay() const override { return kValidationDelay; }
  /// Those that got a pod or lost their budget are dropped, the others go.
  [[nodiscard]] std::vector<Candidate> revalidate(std::vector<Candidate> still, Budgets& budgets,
                                                  std::size_t planned) const override;
};

}  // namespace troupe::karpenter
