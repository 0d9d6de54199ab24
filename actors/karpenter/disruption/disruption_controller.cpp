#include "actors/karpenter/disruption/disruption_controller.h"

#include <algorithm>
#include <utility>

#include "actors/karpenter/lifecycle/claim_deletion.h"
#include "actors/karpenter/lifecycle/condition_types.h"
#include "actors/karpenter/scheduling/labels.h"
#include "actors/workloads/objects/taints.h"

namespace troupe::karpenter {
namespace {

/// pkg/controllers/disruption/queue.go: the queue's workers and the delays between two tries.
constexpr WorkQueueOptions kDeletions{.workers = 100,
                                      .backoff_min = std::chrono::seconds(1),
                                      .backoff_max = std::chrono::seconds(10),
                                      .retry_qps = 0};

/// "Empty" as Karpenter's metric has it: "empty".
std::string metric_word(std::string_view reason) {
  std::string word(reason);
  if (!word.empty() && word[0] >= 'A' && word[0] <= 'Z') {
    word[0] = static_cast<char>(word[0] - 'A' + 'a');
  }
  return word;
}

}  // namespace

DisruptionController::DisruptionController(Manager& manager)
    : manager_(manager),
      methods_(disruption_methods()),
      deletions_(kDeletions, [this](Context& context, const std::string& name) {
        delete_next(context, name);
      }) {}

void DisruptionController::pass_after(Context& context, Duration delay) {
  manager_.api.timers().after(context, delay, "disruption",
                              [this](Context& later) { pass(later); });
}

void DisruptionController::pass(Context& context) {
  if (!manager_.synced()) return pass_after(context, kUnsynced);
  clean_taints(context);
  for (const auto& method : methods_) {
    if (try_method(context, *method)) return;
  }
  pass_after(context, kPoll);
}

// ---- what a former life or a failed command left ----

void DisruptionController::clean_taints(Context& context) {
  for (const StateNode& node : manager_.state.nodes()) {
    const bool tainted = node.managed() && node.node != nullptr && !node.is_leaving() &&
                         !node.node->metadata().has_deletion_timestamp() &&
                         !being_disrupted_.contains(node.provider_id()) &&
                         find_taint(node.node->spec().taints(), kDisruptedTaint, kNoSchedule);
    if (tainted) untaint(context, node);
  }
}

void DisruptionController::untaint(Context& context, const StateNode& node) {
  k8s::Node clean = *node.node;
  static_cast<void>(
      erase_taint(*clean.mutable_spec()->mutable_taints(), kDisruptedTaint, kNoSchedule));
  manager_.api.update(context, std::move(clean), [](Context&, const ApiResult&) {});
  NodeClaim claim = *node.claim;
  if (!remove_condition(*claim.mutable_status()->mutable_conditions(), kDisruptionReason)) return;
  manager_.api.update_status(context, std::move(claim), [](Context&, const ApiResult&) {});
}

// ---- candidates, command, validation ----

std::vector<Candidate> DisruptionController::candidates_of(const Method& method,
                                                           SimTime now) const {
  CandidateInput input{.state = manager_.state,
                       .catalogue = manager_.catalogue(),
                       .pools = {manager_.pools.cache().begin(), manager_.pools.cache().end()},
                       .limits = manager_.disruption_limits(),
                       .being_disrupted = being_disrupted_,
                       .profile = manager_.profile,
                       .now = now};
  std::vector<Candidate> result;
  for (const StateNode& node : manager_.state.nodes()) {
    Result<Candidate> candidate = judge(node, input);
    if (candidate && method.wants(*candidate)) result.push_back(std::move(*candidate));
  }
  return result;
}

Budgets DisruptionController::budgets_of(const Method& method, SimTime now) const {
  return disruption_budgets(manager_.all_pools(), manager_.state.nodes(), method.reason(), now);
}

bool DisruptionController::try_method(Context& context, const Method& method) {
  std::vector<Candidate> candidates = candidates_of(method, context.now());
  if (candidates.empty()) return false;
  Budgets budgets = budgets_of(method, context.now());
  const auto command = std::make_shared<Command>();
  command->method = &method;
  command->candidates = method.choose(std::move(candidates), budgets);
  if (command->candidates.empty()) return false;
  manager_.api.timers().after(context, method.validation_delay(), "validation",
                              [this, command](Context& later) { validate(later, command); });
  return true;
}

void DisruptionController::validate(Context& context, const CommandPtr& command) {
  std::set<std::string> planned;
  for (const Candidate& candidate : command->candidates) {
    planned.insert(candidate.node.provider_id());
  }
  std::vector<Candidate> still = candidates_of(*command->method, context.now());
  std::erase_if(still, [&planned](const Candidate& candidate) {
    return !planned.contains(candidate.node.provider_id());
  });
  Budgets budgets = budgets_of(*command->method, context.now());
  command->candidates = command->method->revalidate(std::move(still), budgets, planned.size());
  if (command->candidates.empty()) return pass_after(context, kPoll);
  execute(context, command);
}

// ---- carrying it out ----

void DisruptionController::execute(Context& context, const CommandPtr& command) {
  command->open = command->candidates.size();
  for (const Candidate& candidate : command->candidates) {
    being_disrupted_.insert(candidate.node.provider_id());
    taint(context, command, candidate);
  }
}

void DisruptionController::taint(Context& context, const CommandPtr& command,
                                 const Candidate& candidate) {
  k8s::Node node = *candidate.node.node;
  if (!add_taint(*node.mutable_spec()->mutable_taints(),
                 make_taint(kDisruptedTaint, kNoSchedule))) {
    return tainted(context, command, true);
  }
  manager_.api.update(context, std::move(node),
                      [this, command](Context& later, const ApiResult& result) {
                        tainted(later, command, result.ok());
                      });
}

void DisruptionController::tainted(Context& context, const CommandPtr& command, bool ok) {
  command->failed |= !ok;
  if (--command->open > 0) return;
  if (command->failed) {
    for (const Candidate& candidate : command->candidates) {
      being_disrupted_.erase(candidate.node.provider_id());
    }
    return pass_after(context, kPoll);
  }
  const std::string_view reason = command->method->reason();
  for (const Candidate& candidate : command->candidates) {
    const NodeClaim& claim = *candidate.node.claim;
    manager_.state.mark_for_deletion(candidate.node.provider_id(), true);
    note_reason(context, claim, reason);
    to_delete_[claim.metadata().name()] = metric_word(reason);
    deletions_.add(context, claim.metadata().name());
  }
  pass(context);
}

// For people: the deletion does not depend on it.
void DisruptionController::note_reason(Context& context, const NodeClaim& claim,
                                       std::string_view reason) {
  manager_.events.record(
      context, claim,
      {"Normal", "DisruptionTerminating", "Disrupting NodeClaim: " + std::string(reason)});
  const auto newest = manager_.claims.get(claim.metadata().name());
  if (newest == nullptr) return;
  NodeClaim noted = *newest;
  set_condition(*noted.mutable_status()->mutable_conditions(),
                {kDisruptionReason, "True", reason, reason}, context.now());
  manager_.api.update_status(context, std::move(noted), [](Context&, const ApiResult&) {});
}

void DisruptionController::delete_next(Context& context, const std::string& name) {
  const auto claim = manager_.claims.get(name);
  const auto end = [this, name](Context& later, bool ok) {
    if (!ok) {
      deletions_.retry(later, name);
    } else {
      deletions_.forget(name);
      to_delete_.erase(name);
    }
    deletions_.done(later, name);
  };
  if (claim == nullptr || claim->metadata().has_deletion_timestamp()) return end(context, true);
  delete_claim(manager_, context, *claim, to_delete_[name],
               [this, end, id = claim->status().provider_id()](Context& later, bool ok) {
                 if (ok) being_disrupted_.erase(id);
                 end(later, ok);
               });
}

}  // namespace troupe::karpenter
