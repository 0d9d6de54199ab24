#include "actors/karpenter/manager.h"

#include <utility>

#include "actors/karpenter/scheduling/labels.h"

namespace troupe::karpenter {

Manager::Manager(const hosts::KarpenterConfig& configuration)
    : config(configuration),
      profile(Profile::of(configuration.profile())),
      api(ApiClientOptions::of(configuration.client())),
      events(api),
      pods(api),
      nodes(api),
      claims(api),
      pools(api),
      budgets(api),
      daemon_sets(api),
      catalogue_(configuration) {
  follow_pods();
  follow_nodes_and_claims();
}

void Manager::follow_pods() {
  pods.on_add([this](Context&, const auto& pod) { state.set_pod(pod); });
  pods.on_update([this](Context&, const auto&, const auto& pod) { state.set_pod(pod); });
  pods.on_delete([this](Context&, const auto& pod) { state.erase_pod(path_of(pod->metadata())); });
}

void Manager::follow_nodes_and_claims() {
  nodes.on_add([this](Context&, const auto& node) { state.set_node(node); });
  nodes.on_update([this](Context&, const auto&, const auto& node) { state.set_node(node); });
  nodes.on_delete(
      [this](Context&, const auto& node) { state.erase_node(node->metadata().name()); });
  claims.on_add([this](Context&, const auto& claim) { state.set_claim(claim); });
  claims.on_update([this](Context&, const auto&, const auto& claim) { state.set_claim(claim); });
  claims.on_delete(
      [this](Context&, const auto& claim) { state.erase_claim(claim->metadata().name()); });
}

void Manager::start(Context& context) {
  started_ = context.now();
  for_each_informer([&](auto& informer) {
    informer.on_synced([this](Context& later) { check_ready(later); });
    informer.start(context);
  });
}

void Manager::check_ready(Context& context) {
  bool all = true;
  for_each_informer([&all](const auto& informer) { all = all && informer.synced(); });
  if (all && ready_) std::exchange(ready_, nullptr)(context);
}

bool Manager::receive(Context& context, const Delivery& delivery) {
  return cloud.receive(context, delivery) || api.receive(context, delivery);
}

void Manager::expect_claim(const NodeClaim& created) {
  expected_[created.metadata().name()] = revision_of(created.metadata().resource_version());
  state.expect_claim(created.metadata().name());
}

bool Manager::synced() {
  // A claim that came and went before its creation was answered must not be waited for.
  const std::int64_t seen = revision_of(claims.resource_version());
  std::erase_if(expected_, [this, seen](const auto& expected) {
    if (expected.second > seen) return false;
    if (claims.get(expected.first) == nullptr) state.erase_claim(expected.first);
    return true;
  });
  return state.synced();
}

void Manager::mark_unavailable(Context& context,
                               const std::vector<UnavailableOfferings::Key>& offerings) {
  if (offerings.empty()) return;
  for (const auto& offering : offerings) unavailable_.mark(offering, context.now());
  catalogue_.refresh(unavailable_);
  arm_sweep(context);
}

void Manager::arm_sweep(Context& context) {
  if (sweep_armed_ || unavailable_.is_empty()) return;
  sweep_armed_ = true;
  // The cache's clock began with the process, whenever something is put into it.
  const Duration since = (context.now() - started_) % UnavailableOfferings::kSweep;
  api.timers().after(context, UnavailableOfferings::kSweep - since, "offerings",
                     [this](Context& later) {
                       sweep_armed_ = false;
                       if (unavailable_.sweep(later.now())) catalogue_.refresh(unavailable_);
                       arm_sweep(later);
                     });
}

std::shared_ptr<const NodePool> Manager::pool_of(const NodeClaim& claim) const {
  return pools.get(label_or(claim.metadata().labels(), kNodePoolLabel));
}

std::vector<std::shared_ptr<const NodePool>> Manager::all_pools() const {
  std::vector<std::shared_ptr<const NodePool>> result;
  for (const auto& [name, pool] : pools.cache()) result.push_back(pool);
  return result;
}

DisruptionLimits Manager::disruption_limits() const {
  std::vector<std::shared_ptr<const k8s::PodDisruptionBudget>> all;
  for (const auto& [path, budget] : budgets.cache()) all.push_back(budget);
  return DisruptionLimits(std::move(all));
}

}  // namespace troupe::karpenter
