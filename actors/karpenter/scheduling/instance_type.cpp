#include "actors/karpenter/scheduling/instance_type.h"

#include <algorithm>
#include <limits>
#include <set>

namespace troupe::karpenter {
namespace {

/// Karpenter names so many types of a list and counts the rest.
constexpr std::size_t kNamedTypes = 5;

}  // namespace

const Offering* InstanceType::cheapest(const Requirements& wanted) const {
  const Offering* best = nullptr;
  for (const Offering& offering : offerings) {
    if (!offering.available) continue;
    if (best != nullptr && best->price_micro_usd_per_hour <= offering.price_micro_usd_per_hour)
      continue;
    if (wanted.is_compatible(offering.requirements, Undefined::WellKnownAllowed)) best = &offering;
  }
  return best;
}

const Offering* InstanceType::find_offering(std::string_view zone,
                                            std::string_view capacity_type) const {
  const auto at = std::ranges::find_if(offerings, [&](const Offering& offering) {
    return offering.zone == zone && offering.capacity_type == capacity_type;
  });
  return at != offerings.end() ? &*at : nullptr;
}

InstanceTypes ordered_by_price(InstanceTypes types, const Requirements& wanted) {
  struct Priced {
    std::int64_t price;
    const InstanceType* type;
  };
  std::vector<Priced> priced;
  priced.reserve(types.size());
  for (const InstanceType* type : types) {
    const Offering* offering = type->cheapest(wanted);
    priced.push_back({offering != nullptr ? offering->price_micro_usd_per_hour
                                          : std::numeric_limits<std::int64_t>::max(),
                      type});
  }
  std::ranges::stable_sort(priced, [](const Priced& a, const Priced& b) {
    return std::pair(a.price, std::string_view(a.type->name)) <
           std::pair(b.price, std::string_view(b.type->name));
  });
  std::ranges::transform(priced, types.begin(), &Priced::type);
  return types;
}

std::vector<ScarceKey> scarce_keys(const InstanceTypes& types, const Requirements& wanted) {
  std::vector<ScarceKey> scarce;
  for (const ValueSet& set : wanted.all()) {
    if (!set.min_values()) continue;
    std::set<std::string> distinct;
    for (const InstanceType* type : types) {
      const ValueSet* values = type->requirements.find(set.key());
      if (values != nullptr) distinct.insert(values->values().begin(), values->values().end());
    }
    const int available = static_cast<int>(distinct.size());
    if (available < *set.min_values()) scarce.push_back({set.key(), available, *set.min_values()});
  }
  return scarce;
}

std::string list_of(const InstanceTypes& types) {
  std::string text;
  for (std::size_t i = 0; i < std::min(types.size(), kNamedTypes); ++i) {
    text += (i > 0 ? ", " : "") + types[i]->name;
  }
  if (types.size() > kNamedTypes) {
    text += " and " + std::to_string(types.size() - kNamedTypes) + " other(s)";
  }
  return text;
}

}  // namespace troupe::karpenter
