#include "actors/karpenter/scheduling/instance_filter.h"

#include <algorithm>
#include <functional>

namespace troupe::karpenter {
namespace {

/// What the three tests said of one type.
struct Verdict {
  bool requirements = false;
  bool fits = false;
  bool offering = false;
};

/// What they said of all types together.
struct Tally {
  bool requirements = false;
  bool fits = false;
  bool offering = false;
  bool requirements_and_fits = false;
  bool requirements_and_offering = false;
  bool fits_and_offering = false;
  Resources min_daemons;
  Resources max_daemons;

  void count(const Verdict& one) {
    requirements |= one.requirements;
    fits |= one.fits;
    offering |= one.offering;
    requirements_and_fits |= one.requirements && one.fits && !one.offering;
    requirements_and_offering |= one.requirements && one.offering && !one.fits;
    fits_and_offering |= one.fits && one.offering && !one.requirements;
  }
  void count_daemons(const Resources& overhead) {
    if (max_daemons.is_empty()) {
      min_daemons = max_daemons = overhead;
    } else {
      min_daemons.lower_to(overhead);
      max_daemons.raise_to(overhead);
    }
  }

  /// Which tests alone shut every type out; else which pairs did.
  [[nodiscard]] std::string reason() const {
    if (!requirements && !fits && !offering) {
      return "no instance type met the scheduling requirements or had enough resources or had a "
             "required offering";
    }
    if (!requirements && !fits) {
      return "no instance type met the scheduling requirements or had enough resources";
    }
    if (!requirements && !offering) {
      return "no instance type met the scheduling requirements or had a required offering";
    }
    if (!fits && !offering)
      return "no instance type had enough resources or had a required offering";
    if (!requirements) return "no instance type met all requirements";
    if (!fits) return "no instance type has enough resources";
    if (!offering) return "no instance type has the required offering";
    if (requirements_and_fits) {
      return "no instance type which met the scheduling requirements and had enough resources, had "
             "a required "
             "offering";
    }
    if (fits_and_offering) {
      return "no instance type which had enough resources and the required offering met the "
             "scheduling requirements";
    }
    if (requirements_and_offering) {
      return "no instance type which met the scheduling requirements and the required offering had "
             "the required "
             "resources";
    }
    return "no instance type met the requirements/resources/offering tuple";
  }
};

std::string resources_text(const Tally& tally, const Resources& pod_requests) {
  Resources least = tally.min_daemons;
  Resources most = tally.max_daemons;
  least.add(pod_requests);
  most.add(pod_requests);
  if (least == most) return least.to_string();
  return "min=" + least.to_string() + ", max=" + most.to_string();
}

Verdict examine(const InstanceType& type, const Requirements& requirements,
                const Resources& requests) {
  Verdict verdict;
  verdict.requirements = type.requirements.intersects(requirements);
  verdict.fits = type.allocatable.fits(requests);
  verdict.offering = type.cheapest(requirements) != nullptr;
  return verdict;
}

std::string refusal(const std::string& reason, const FilterRequest& request, const Tally& tally) {
  return reason + ", requirements=" + request.requirements.to_string() +
         ", resources=" + resources_text(tally, request.pod_requests);
}

std::string min_values_text(const ScarceKey& scarce) {
  return "minValues requirement is not met for label(s) (label(s)=[" + scarce.key + "])";
}

}  // namespace

Result<Filtered> filter_instance_types(const FilterRequest& request) {
  Tally tally;
  Filtered result;
  InstanceTypes eligible = request.types;  // by address, for membership only
  std::ranges::sort(eligible, std::less<>());
  for (const DaemonGroup& group : request.groups) {
    if (group.ports.conflicts(request.ports)) continue;
    Resources requests = request.total_requests;
    if (!group.overhead.is_empty()) {
      tally.count_daemons(group.overhead);
      requests.add(group.overhead);
    }
    for (const InstanceType* type : group.types) {
      if (!std::ranges::binary_search(eligible, type, std::less<>())) continue;
      const Verdict verdict = examine(*type, request.requirements, requests);
      tally.count(verdict);
      if (verdict.requirements && verdict.fits && verdict.offering) result.types.push_back(type);
    }
  }
  if (result.types.empty()) return fail(refusal(tally.reason(), request, tally));
  if (request.requirements.has_min_values()) {
    result.relaxed = scarce_keys(result.types, request.requirements);
    if (!result.relaxed.empty() && request.min_values == MinValuesPolicy::Strict) {
      return fail(refusal(min_values_text(result.relaxed.front()), request, tally));
    }
  }
  return result;
}

}  // namespace troupe::karpenter
