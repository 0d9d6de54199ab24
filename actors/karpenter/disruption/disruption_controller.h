// The disruption loop: looks for nodes that need not be, waits, looks again, and takes them away.
//
// One loop, never two: while a command waits to be validated, nothing else is disrupted. A command
// taints its nodes first, so that nothing new is placed there; its claims are deleted when all are
// tainted, and a taint that some failed command left behind goes with the next pass. Karpenter v1,
// pkg/controllers/disruption. Modelled: emptiness. Not modelled: drift and consolidation of nodes
// that run something, which need replacements.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actors/karpenter/controller.h"
#include "actors/karpenter/disruption/method.h"
#include "actors/karpenter/manager.h"

namespace troupe::karpenter {

class DisruptionController final : public Controller {
 public:
  /// pkg/controllers/disruption/controller.go: pollingPeriod.
  static constexpr Duration kPoll = std::chrono::seconds(10);
  /// The same file: what is waited while the picture is not synced.
  static constexpr Duration kUnsynced = std::chrono::seconds(1);

  explicit DisruptionController(Manager& manager);

  void start(Context& context) override { pass(context); }
  bool receive(Context& context, const Delivery& delivery) override {
    return deletions_.receive(context, delivery);
  }

 private:
  struct Command {
    const Method* method = nullptr;
    std::vector<Candidate> candidates;
    std::size_t open = 0;  ///< taints that are not answered yet
    bool failed = false;
  };
  using CommandPtr = std::shared_ptr<Command>;

  void pass(Context& context);
  void pass_after(Context& context, Duration delay);
  void clean_taints(Context& context);
  void untaint(Context& context, const StateNode& node);
  [[nodiscard]] std::vector<Candidate> candidates_of(const Method& method, SimTime now) const;
  [[nodiscard]] Budgets budgets_of(const Method& method, SimTime now) const;
  [[nodiscard]] bool try_method(Context& context, const Method& method);
  void validate(Context& context, const CommandPtr& command);
  void execute(Context& context, const CommandPtr& command);
  void taint(Context& context, const CommandPtr& command, const Candidate& candidate);
  void tainted(Context& context, const CommandPtr& command, bool ok);
  void note_reason(Context& context, const NodeClaim& claim, std::string_view reason);
  void delete_next(Context& context, const std::string& name);

  Manager& manager_;
  std::vector<std::unique_ptr<Method>> methods_;
  std::set<std::string> being_disrupted_;         ///< provider ids
  std::map<std::string, std::string> to_delete_;  ///< claim name -> reason
  WorkQueue deletions_;
};

}  // namespace troupe::karpenter
