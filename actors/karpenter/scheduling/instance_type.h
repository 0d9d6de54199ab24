// What the cloud sells, as the scheduling simulation sees it: instance types with their labels,
// their resources, and their offerings, each a place, a way of paying and a price.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/karpenter/scheduling/requirements.h"
#include "actors/karpenter/scheduling/resources.h"

namespace troupe::karpenter {

/// One way to get an instance of a type.
struct Offering {
  std::string zone;
  std::string capacity_type;
  std::int64_t price_micro_usd_per_hour = 0;
  bool available = true;  ///< false while a launch here failed lately for want of capacity
  Requirements requirements;
};

struct InstanceType {
  std::string name;
  Requirements requirements;
  std::vector<Offering> offerings;
  Resources capacity;
  Resources allocatable;

  /// The cheapest available offering that fits the requirements, or null.
  [[nodiscard]] const Offering* cheapest(const Requirements& wanted) const;
  [[nodiscard]] const Offering* find_offering(std::string_view zone,
                                              std::string_view capacity_type) const;
};

/// A choice of types; they live in the catalogue that the simulation was given.
using InstanceTypes = std::vector<const InstanceType*>;

/// The types with the cheapest compatible available offering first; a type without one comes last.
/// Equal prices are in order of names.
[[nodiscard]] InstanceTypes ordered_by_price(InstanceTypes types, const Requirements& wanted);

/// The keys of `wanted` that ask for more distinct values than these types have, each with how many
/// they do have.
struct ScarceKey {
  std::string key;
  int available = 0;
  int needed = 0;
};
[[nodiscard]] std::vector<ScarceKey> scarce_keys(const InstanceTypes& types,
                                                 const Requirements& wanted);

/// "m5.large, m5.xlarge and 3 other(s)": as Karpenter logs a list of types.
[[nodiscard]] std::string list_of(const InstanceTypes& types);

}  // namespace troupe::karpenter
