#include "actors/karpenter/cloud/instance_catalogue.h"

#include <algorithm>
#include <set>
#include <utility>

#include "actors/karpenter/scheduling/labels.h"
#include "actors/scheduling/resources.h"

namespace troupe::karpenter {
namespace {

constexpr std::int64_t kBytesPerMib = 1024 * 1024;
constexpr std::int64_t kMilli = 1000;
constexpr std::string_view kAws = "karpenter.k8s.aws/instance-";

void define(Requirements& labels, std::string_view key, std::string value) {
  labels.put(ValueSet(key, Operator::In, {std::move(value)}));
}

void define_aws(Requirements& labels, std::string_view suffix, std::string value) {
  define(labels, std::string(kAws) + std::string(suffix), std::move(value));
}

/// "p5en.48xlarge" is category p, family p5en, generation 5, size 48xlarge, by the naming scheme of
/// EC2.
void define_name_parts(Requirements& labels, std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return;
  const std::string_view family = name.substr(0, dot);
  const auto digits = family.find_first_of("0123456789");
  define_aws(labels, "family", std::string(family));
  define_aws(labels, "size", std::string(name.substr(dot + 1)));
  if (digits == std::string_view::npos) return;
  define_aws(labels, "category", std::string(family.substr(0, digits)));
  const auto end = family.find_first_not_of("0123456789", digits);
  define_aws(labels, "generation", std::string(family.substr(digits, end - digits)));
}

Requirements labels_of(const hosts::InstanceType& type) {
  Requirements labels;
  define(labels, kInstanceTypeLabel, type.name());
  define(labels, kArchLabel, "amd64");
  define(labels, kOsLabel, "linux");
  define_name_parts(labels, type.name());
  define_aws(labels, "cpu", std::to_string(type.cpu_milli() / kMilli));
  define_aws(labels, "memory", std::to_string(type.memory_bytes() / kBytesPerMib));
  if (type.gpus() > 0) {
    define_aws(labels, "gpu-name", type.gpu_model());
    define_aws(labels, "gpu-manufacturer", "nvidia");
    define_aws(labels, "gpu-count", std::to_string(type.gpus()));
    define_aws(labels, "gpu-memory", std::to_string(type.gpu_memory_mib()));
  }
  for (const auto& label : type.labels()) define(labels, label.key(), label.value());
  std::vector<std::string> zones;
  std::vector<std::string> capacity_types;
  for (const auto& offering : type.offerings()) {
    zones.push_back(offering.zone());
    capacity_types.push_back(offering.capacity_type());
  }
  labels.put(ValueSet(kZoneLabel, Operator::In, std::move(zones)));
  labels.put(ValueSet(kCapacityTypeLabel, Operator::In, std::move(capacity_types)));
  return labels;
}

Offering offering_of(const hosts::InstanceType::Offering& offering) {
  Offering result;
  result.zone = offering.zone();
  result.capacity_type = offering.capacity_type();
  result.price_micro_usd_per_hour = offering.price_micro_usd_per_hour();
  define(result.requirements, kZoneLabel, offering.zone());
  define(result.requirements, kCapacityTypeLabel, offering.capacity_type());
  return result;
}

InstanceType type_of(const hosts::InstanceType& type, const hosts::KarpenterConfig& config) {
  InstanceType result;
  result.name = type.name();
  result.requirements = labels_of(type);
  for (const auto& offering : type.offerings()) result.offerings.push_back(offering_of(offering));
  const std::int64_t overhead = type.memory_bytes() / kMilli *
                                static_cast<std::int64_t>(config.vm_memory_overhead_permille());
  result.capacity.set(kCpu, type.cpu_milli());
  result.capacity.set(kMemory, type.memory_bytes() - overhead);
  result.capacity.set(kPods, type.pods());
  if (type.gpus() > 0) result.capacity.set(scheduling::kGpuResource, type.gpus());
  result.allocatable = result.capacity;
  Resources reserved;
  reserved.set(kCpu, config.cpu_reserved_milli());
  reserved.set(kMemory, config.memory_reserved_bytes());
  result.allocatable.subtract(reserved);
  result.allocatable.clamp_at_zero();
  return result;
}

}  // namespace

InstanceCatalogue::InstanceCatalogue(const hosts::KarpenterConfig& config) {
  for (const auto& type : config.instance_types()) types_.push_back(type_of(type, config));
  std::ranges::sort(types_, {}, &InstanceType::name);
  // A key that some type has and this one has not is one that it says no to: an instance without
  // GPUs has no GPU name.
  std::set<std::string> keys;
  for (const InstanceType& type : types_) {
    for (const ValueSet& set : type.requirements.all()) keys.insert(set.key());
  }
  for (InstanceType& type : types_) {
    for (const std::string& key : keys) {
      if (!type.requirements.has(key)) type.requirements.put(ValueSet(key, Operator::DoesNotExist));
    }
  }
}

const InstanceType* InstanceCatalogue::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(
      types_, name, {}, [](const InstanceType& type) { return std::string_view(type.name); });
  return at != types_.end() && at->name == name ? &*at : nullptr;
}

void InstanceCatalogue::refresh(const UnavailableOfferings& unavailable) {
  for (InstanceType& type : types_) {
    for (Offering& offering : type.offerings) {
      offering.available =
          !unavailable.contains({type.name, offering.zone, offering.capacity_type});
    }
  }
}

Requirements instance_labels(const InstanceType& type, std::string_view zone,
                             std::string_view capacity_type) {
  Requirements labels;
  for (const ValueSet& set : type.requirements.all()) {
    if (set.is_single()) labels.put(set);
  }
  define(labels, kZoneLabel, std::string(zone));
  define(labels, kCapacityTypeLabel, std::string(capacity_type));
  return labels;
}

}  // namespace troupe::karpenter
