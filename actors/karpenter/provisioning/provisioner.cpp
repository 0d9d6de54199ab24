#include "actors/karpenter/provisioning/provisioner.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "actors/karpenter/scheduling/labels.h"
#include "actors/karpenter/state/pod_rules.h"
#include "messages/facts.pb.h"

namespace troupe::karpenter {
namespace {

constexpr std::uint32_t kWorkers = 10;  // pkg/controllers/provisioning: MaxConcurrentReconciles
constexpr double kNominationsQps = 5;
constexpr std::uint32_t kNominationsBurst = 10;
/// A node on which a pod is expected is left alone for twice the longest batch, 10 s at least.
/// Karpenter v1, pkg/controllers/state/statenode.go: nominationWindow.
constexpr Duration kShortestNomination = std::chrono::seconds(10);
/// pkg/controllers/provisioning/scheduling/events.go: the dedupe timeouts of the two.
constexpr Duration kFailureDedupe = std::chrono::minutes(5);
constexpr Duration kNoTypesDedupe = std::chrono::minutes(1);

Duration given_or(std::int64_t ns, Duration fallback) {
  return ns > 0 ? Duration(ns) : fallback;
}

bool is_path_of_pod(const std::string& key) {
  return key.find('/') != std::string::npos;
}

bool is_disrupted(const k8s::Node& node) {
  return std::ranges::any_of(
      node.spec().taints(), [](const k8s::Taint& taint) { return taint.key() == kDisruptedTaint; });
}

}  // namespace

Provisioner::Provisioner(Manager& manager)
    : KeyedController({.workers = kWorkers}),
      manager_(manager),
      batcher_(given_or(manager.config.batch_idle_ns(), kBatchIdle),
               given_or(manager.config.batch_max_ns(), kBatchMax)),
      nomination_events_(kNominationsQps, kNominationsBurst) {
  const auto look_at_pod = [this](Context& context, const k8s::Pod& pod) {
    if (is_provisionable(pod)) enqueue(context, path_of(pod.metadata()));
  };
  manager.pods.on_add(
      [look_at_pod](Context& context, const auto& pod) { look_at_pod(context, *pod); });
  manager.pods.on_update([look_at_pod](Context& context, const auto&, const auto& pod) {
    look_at_pod(context, *pod);
  });
  const auto look_at_node = [this](Context& context, const k8s::Node& node) {
    if (is_disrupted(node)) enqueue(context, node.metadata().name());
  };
  manager.nodes.on_add(
      [look_at_node](Context& context, const auto& node) { look_at_node(context, *node); });
  manager.nodes.on_update([look_at_node](Context& context, const auto&, const auto& node) {
    look_at_node(context, *node);
  });
}

std::string Provisioner::needy(const std::string& key) const {
  if (is_path_of_pod(key)) {
    const auto pod = manager_.pods.get(key);
    return pod != nullptr && is_provisionable(*pod) ? pod->metadata().uid() : std::string();
  }
  const auto node = manager_.nodes.get(key);
  return node != nullptr && is_disrupted(*node) ? node->metadata().uid() : std::string();
}

void Provisioner::reconcile(Context& context, const std::string& key) {
  const std::string uid = needy(key);
  if (uid.empty()) return finish(context, key);
  batcher_.trigger(uid, context.now());
  arm(context);
  finish(context, key, {.again = kAgain});
}

void Provisioner::arm(Context& context) {
  const std::optional<SimTime> closes = batcher_.closes_at();
  if (!closes || armed_) return;
  armed_ = true;
  const Duration left = std::max(*closes - context.now(), Duration::zero());
  manager_.api.timers().after(context, left, "batch", [this](Context& later) {
    armed_ = false;
    close_if_due(later);
  });
}

void Provisioner::close_if_due(Context& context) {
  const std::optional<SimTime> closes = batcher_.closes_at();
  if (!closes) return;
  if (*closes > context.now()) return arm(context);
  batcher_.close();
  solve(context);
}

void Provisioner::rest(Context& context) {
  batcher_.wait(context.now());
  arm(context);
}

std::vector<SimulatedPod> Provisioner::pods_to_place(SimTime now) const {
  const PreferencePolicy policy =
      manager_.config.ignore_preferences() ? PreferencePolicy::Ignore : PreferencePolicy::Respect;
  std::vector<SimulatedPod> result;
  for (const auto& [path, pod] : manager_.state.provisionable()) {
    result.emplace_back(pod, std::vector<Requirements>{}, policy);
  }
  for (const auto& pod : manager_.state.pods_to_move(manager_.disruption_limits(), now)) {
    result.emplace_back(pod, std::vector<Requirements>{}, policy);
  }
  return result;
}

void Provisioner::solve(Context& context) {
  if (!manager_.synced()) return rest(context);
  std::vector<SimulatedPod> pods = pods_to_place(context.now());
  if (pods.empty()) return rest(context);
  const std::int64_t cost = manager_.config.cost_per_pod_ns();
  const std::size_t limit = cost > 0 ? static_cast<std::size_t>(kSolveLimit.count() / cost)
                                     : std::numeric_limits<std::size_t>::max();
  auto plan =
      std::make_shared<const ProvisioningPlan>(plan_nodes(manager_, std::move(pods), limit));
  const Duration length{static_cast<std::int64_t>(plan->attempts) * cost};
  manager_.api.timers().after(context, length, "provisioning",
                              [this, plan](Context& later) { act(later, *plan); });
}

void Provisioner::act(Context& context, const ProvisioningPlan& plan) {
  nominate(context, plan);
  report_failures(context, plan);
  open_ = plan.nodes.size();
  if (open_ == 0) return rest(context);
  // The pools as they are now, with what other claims have taken of them.
  std::map<std::string, bool> has_room;
  for (const PlannedNode& node : plan.nodes) {
    const auto [at, added] = has_room.try_emplace(node.pool);
    if (added) at->second = pool_has_room(node.pool);
    if (at->second) {
      create(context, node);
    } else {
      answered(context);
    }
  }
}

bool Provisioner::pool_has_room(const std::string& name) const {
  const auto pool = manager_.pools.get(name);
  return pool != nullptr && exceeded_limit(*pool, manager_.state.pool_usage(name)).empty();
}

void Provisioner::nominate(Context& context, const ProvisioningPlan& plan) {
  const Duration window =
      std::max(2 * given_or(manager_.config.batch_max_ns(), kBatchMax), kShortestNomination);
  for (const ProvisioningPlan::Nomination& nomination : plan.nominations) {
    manager_.state.nominate(nomination.provider_id, context.now() + window);
    for (const auto& pod : nomination.pods) tell_nomination(context, *pod, nomination.where);
  }
}

void Provisioner::report_failures(Context& context, const ProvisioningPlan& plan) {
  for (const auto& failure : plan.failures) {
    manager_.events.record(
        context, *failure.pod,
        {"Warning", "FailedScheduling", "Failed to schedule pod, " + failure.reason},
        kFailureDedupe);
  }
  for (const std::string& name : plan.pools_without_types) {
    const auto pool = manager_.pools.get(name);
    if (pool == nullptr) continue;
    manager_.events.record(context, *pool,
                           {"Warning", "NoCompatibleInstanceTypes",
                            "NodePool requirements filtered out all compatible available instance "
                            "types"},
                           kNoTypesDedupe);
  }
}

void Provisioner::create(Context& context, const PlannedNode& node) {
  manager_.api.create(context, node.claim, [this, node](Context& later, const ApiResult& result) {
    const auto claim = result.as<NodeClaim>();
    if (result.ok() && claim != nullptr) created(later, node, *claim);
    answered(later);
  });
}

void Provisioner::created(Context& context, const PlannedNode& node, const NodeClaim& claim) {
  manager_.expect_claim(claim);
  facts::NodeClaimCreated fact;
  fact.set_name(claim.metadata().name());
  fact.set_node_pool(node.pool);
  fact.set_pods(static_cast<std::uint32_t>(node.pods.size()));
  context.emit(Payload::of(std::move(fact)));
  for (const auto& pod : node.pods) {
    tell_nomination(context, *pod, "nodeclaim/" + claim.metadata().name());
  }
}

void Provisioner::answered(Context& context) {
  if (--open_ == 0) rest(context);
}

void Provisioner::tell_nomination(Context& context, const k8s::Pod& pod, const std::string& where) {
  if (!nomination_events_.ready(context.now())) return;
  static_cast<void>(nomination_events_.take(context.now()));
  manager_.events.record(context, pod, {"Normal", "Nominated", "Pod should schedule on: " + where});
}

}  // namespace troupe::karpenter
