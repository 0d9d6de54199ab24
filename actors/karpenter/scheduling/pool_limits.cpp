#include "actors/karpenter/scheduling/pool_limits.h"

#include <algorithm>

namespace troupe::karpenter {
namespace {

/// Only limited resources are counted down.
void take_from(Resources& remaining, const Resources& amounts) {
  Resources limited;
  for (const auto& [name, amount] : remaining.all()) limited.set(name, amounts.get(name));
  remaining.subtract(limited);
}

bool has_room(const Resources& remaining, const InstanceType& type) {
  return std::ranges::all_of(remaining.all(), [&type](const Resources::Entry& entry) {
    return type.capacity.get(entry.first) <= entry.second;
  });
}

std::string refusal(std::string_view text, const std::string& pool) {
  return std::string(text) + " (NodePool=" + pool + ")";
}

}  // namespace

void PoolLimits::set(const NodePool& pool) {
  remaining_[pool.metadata().name()] = Resources::of(pool.spec().limits());
}

void PoolLimits::take(const std::string& pool, const Resources& capacity) {
  const auto at = remaining_.find(pool);
  if (at != remaining_.end()) take_from(at->second, capacity);
}

void PoolLimits::take_largest(const std::string& pool, const InstanceTypes& types) {
  Resources largest;
  for (const InstanceType* type : types) largest.raise_to(type->capacity);
  take(pool, largest);
}

Result<InstanceTypes> PoolLimits::allowed(const std::string& pool,
                                          const InstanceTypes& types) const {
  const auto at = remaining_.find(pool);
  if (at == remaining_.end() || at->second.is_empty()) return types;
  const Resources& remaining = at->second;
  if (remaining.has(kNodes) && remaining.get(kNodes) == 0) {
    return fail(refusal("node limits have been exhausted for nodepool", pool));
  }
  InstanceTypes result;
  for (const InstanceType* type : types) {
    if (has_room(remaining, *type)) result.push_back(type);
  }
  if (result.empty()) {
    return fail(refusal("all available instance types exceed limits for nodepool", pool));
  }
  return result;
}

std::string exceeded_limit(const NodePool& pool, const Resources& usage) {
  const Resources limits = Resources::of(pool.spec().limits());
  for (const auto& [name, limit] : limits.all()) {
    if (usage.get(name) > limit) return name;
  }
  return {};
}

}  // namespace troupe::karpenter
