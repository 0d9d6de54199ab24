#include "actors/workloads/garbage_collector/judgement.h"

#include <algorithm>

#include "actors/workloads/garbage_collector/owner_graph.h"
#include "actors/workloads/objects/metadata.h"

namespace troupe::workloads {
namespace {

bool any(const std::map<std::string, OwnerState>& owners, OwnerState state) {
  return std::ranges::any_of(owners, [state](const auto& owner) { return owner.second == state; });
}

}  // namespace

Judgement judge(const k8s::ObjectMeta& live, const std::map<std::string, OwnerState>& owners,
                const Surroundings& around) {
  using What = Judgement::What;
  if (owners.empty()) return {};
  if (any(owners, OwnerState::Solid)) {
    const bool some_go = any(owners, OwnerState::Dangling) || any(owners, OwnerState::Waiting);
    return {some_go ? What::DropOwners : What::Keep};
  }
  if (any(owners, OwnerState::Waiting) && around.has_dependents) {
    const bool blocks = std::ranges::any_of(
        live.owner_references(), [](const auto& owner) { return owner.block_owner_deletion(); });
    if (around.dependent_deletes_first && blocks) return {What::Unblock};
    return {What::Delete, "Foreground"};
  }
  // Whoever asked for its deletion before has said how.
  if (has_finalizer(live, kOrphanFinalizer)) return {What::Delete, "Orphan"};
  if (has_finalizer(live, kForegroundFinalizer)) return {What::Delete, "Foreground"};
  return {What::Delete, "Background"};
}

}  // namespace troupe::workloads
