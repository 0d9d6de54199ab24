#include "actors/cloud/offerings.h"

#include <algorithm>
#include <tuple>

#include "messages/assert.h"

namespace troupe::cloud {
namespace {

using Names = google::protobuf::RepeatedPtrField<std::string>;

bool lists(const Names& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

bool matches(const std::string& wanted, const std::string& name) {
  return wanted.empty() || wanted == name;
}

/// The capacity types to try, in order; all that are known where the call names none.
std::vector<std::string> capacity_types_of(const LaunchInstance& call) {
  if (call.capacity_types().empty()) return {"reserved", "spot", "on-demand"};
  return {call.capacity_types().begin(), call.capacity_types().end()};
}

std::int32_t depth(const Pool& pool) {
  return pool.left < 0 ? Offerings::kDeep : std::min(pool.left, Offerings::kDeep);
}

}  // namespace

Offerings::Offerings(const InstanceTypes& types) {
  for (const hosts::InstanceType& type : types) {
    for (const auto& offering : type.offerings()) {
      pools_.push_back({&type, offering.zone(), offering.capacity_type(),
                        offering.price_micro_usd_per_hour(), offering.capacity()});
    }
  }
}

std::vector<std::size_t> Offerings::allowed(const LaunchInstance& call,
                                            const std::string& capacity_type) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    const Pool& pool = pools_[i];
    if (pool.capacity_type == capacity_type && lists(call.instance_types(), pool.type->name()) &&
        lists(call.zones(), pool.zone)) {
      found.push_back(i);
    }
  }
  return found;
}

bool Offerings::better(std::size_t a, std::size_t b, bool one_dry) const {
  const Pool& x = pools_[a];
  const Pool& y = pools_[b];
  // A dry pool is compared by its price: it would have been asked in its turn.
  if (x.capacity_type == "spot" && !one_dry && depth(x) != depth(y)) {
    return depth(x) > depth(y);
  }
  return std::tie(x.price_micro_usd_per_hour, x.type->name(), x.zone) <
         std::tie(y.price_micro_usd_per_hour, y.type->name(), y.zone);
}

Offerings::Choice Offerings::choose(const LaunchInstance& call, const IsDry& is_dry) const {
  Choice choice;
  for (const std::string& capacity_type : capacity_types_of(call)) {
    const std::vector<std::size_t> pools = allowed(call, capacity_type);
    choice.any_allowed = choice.any_allowed || !pools.empty();
    std::vector<std::size_t> dry;
    for (const std::size_t pool : pools) {
      if (pools_[pool].dry() || (is_dry && is_dry(pools_[pool]))) {
        dry.push_back(pool);
      } else if (!choice.pool || better(pool, *choice.pool, false)) {
        choice.pool = pool;
      }
    }
    for (const std::size_t pool : dry) {
      if (!choice.pool || better(pool, *choice.pool, true)) choice.dry.push_back(pool);
    }
    if (choice.pool) break;
  }
  return choice;
}

void Offerings::take(std::size_t pool) {
  TROUPE_ASSERT(!pools_.at(pool).dry(), "an instance from a dry pool");
  if (pools_[pool].left > 0) --pools_[pool].left;
}

void Offerings::give_back(std::size_t pool) {
  if (pools_.at(pool).left >= 0 && !pools_[pool].closed) ++pools_[pool].left;
}

std::size_t Offerings::set_capacity(const SetPoolCapacity& change) {
  std::size_t matched = 0;
  for (Pool& pool : pools_) {
    if (pool.type->name() != change.instance_type() || !matches(change.zone(), pool.zone) ||
        !matches(change.capacity_type(), pool.capacity_type)) {
      continue;
    }
    pool.left = change.capacity();
    pool.closed = change.capacity() == 0;
    ++matched;
  }
  return matched;
}

}  // namespace troupe::cloud
