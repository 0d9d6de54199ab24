#include "emulator/config/instance_catalogue.h"

#include <algorithm>
#include <cmath>

#include "emulator/config/values.h"

namespace troupe::config {
namespace {

constexpr std::uint32_t kPodsDefault = 110;  // kubelet's --max-pods
constexpr const char* kCapacityTypes[] = {"on-demand", "spot", "reserved"};

const Cloud::Pool* find_pool(const Cloud& cloud, const hosts::InstanceType& type,
                             const hosts::InstanceType::Offering& offering) {
  const auto matches = [](const std::string& wanted, const std::string& value) {
    return wanted.empty() || wanted == value;
  };
  const auto found =
      std::find_if(cloud.pools().begin(), cloud.pools().end(), [&](const auto& pool) {
        return pool.instance_type() == type.name() && matches(pool.zone(), offering.zone()) &&
               matches(pool.capacity_type(), offering.capacity_type());
      });
  return found == cloud.pools().end() ? nullptr : &*found;
}

void add_offerings(const Inputs& inputs, const InstanceTypeSpec& spec, hosts::InstanceType& type) {
  for (const std::string& zone : inputs.topology.cloud().zones()) {
    for (const char* capacity_type : kCapacityTypes) {
      const std::int64_t price = price_of(spec, capacity_type);
      if (price == 0) continue;
      auto& offering = *type.add_offerings();
      offering.set_zone(zone);
      offering.set_capacity_type(capacity_type);
      offering.set_price_micro_usd_per_hour(price);
      const Cloud::Pool* pool = find_pool(inputs.topology.cloud(), type, offering);
      offering.set_capacity(pool == nullptr ? -1 : pool->capacity());
    }
  }
}

hosts::InstanceType resolve(const Inputs& inputs, const InstanceTypeSpec& spec,
                            Problems& problems) {
  hosts::InstanceType type;
  type.set_name(spec.name());
  type.set_cpu_milli(milli_quantity_or(spec.cpu(), 0));
  type.set_memory_bytes(whole_quantity_or(spec.memory(), 0));
  type.set_gpus(spec.gpus());
  type.set_pods(spec.pods() == 0 ? kPodsDefault : spec.pods());
  if (spec.gpus() > 0) {
    const serving::GpuSpec* gpu = find_gpu(inputs, spec.gpu_model());
    if (gpu == nullptr) {
      problems.add("cloud.instanceTypes", "instance type '" + spec.name() +
                                              "' has the unknown GPU '" + spec.gpu_model() +
                                              "'; topologies/gpus.yaml lists those known");
    } else {
      type.set_gpu_model(gpu->name());
      type.set_gpu_memory_mib(gpu->memory_bytes() >> 20);
    }
  }
  for (const auto& label : spec.labels()) {
    auto& added = *type.add_labels();
    added.set_key(label.key());
    added.set_value(label.value());
  }
  if (spec.has_boot())
    *type.mutable_boot() = distribution(spec.boot(), "instanceTypes.boot", problems);
  add_offerings(inputs, spec, type);
  return type;
}

}  // namespace

const InstanceTypeSpec* find_instance_type(const Inputs& inputs, const std::string& name) {
  const auto& types = inputs.instance_types.instance_types();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&name](const auto& type) { return type.name() == name; });
  return found == types.end() ? nullptr : &*found;
}

const serving::GpuSpec* find_gpu(const Inputs& inputs, const std::string& name) {
  for (const serving::GpuSpec& gpu : inputs.gpus.gpus()) {
    const auto& aliases = gpu.aliases();
    if (gpu.name() == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end()) {
      return &gpu;
    }
  }
  return nullptr;
}

std::int64_t price_of(const InstanceTypeSpec& type, const std::string& capacity_type) {
  double usd = type.on_demand_usd_per_hour();
  if (capacity_type == "spot") usd = type.spot_usd_per_hour();
  if (capacity_type == "reserved") usd = type.reserved_usd_per_hour();
  return std::llround(usd * 1e6);
}

std::vector<hosts::InstanceType> cloud_instance_types(const Inputs& inputs, Problems& problems) {
  const Cloud& cloud = inputs.topology.cloud();
  std::vector<hosts::InstanceType> result;
  if (cloud.instance_types().empty()) {
    for (const InstanceTypeSpec& spec : inputs.instance_types.instance_types()) {
      result.push_back(resolve(inputs, spec, problems));
    }
  }
  for (int i = 0; i < cloud.instance_types_size(); ++i) {
    const InstanceTypeSpec* spec = find_instance_type(inputs, cloud.instance_types(i));
    if (spec == nullptr) {
      problems.add("cloud.instanceTypes[" + std::to_string(i) + "]",
                   "unknown instance type '" + cloud.instance_types(i) +
                       "'; the catalogue lists those known");
    } else {
      result.push_back(resolve(inputs, *spec, problems));
    }
  }
  return result;
}

}  // namespace troupe::config
