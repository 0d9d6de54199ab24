// Instance types for tests: two GPU types and a CPU type in two zones, on-demand and spot.
#pragma once

#include <string>

#include "messages/cloud.pb.h"
#include "messages/hosts.pb.h"

namespace troupe::cloud {

inline void add_offering(hosts::InstanceType& type, const std::string& zone,
                         const std::string& capacity_type, double usd, int capacity = -1) {
  auto* offering = type.add_offerings();
  offering->set_zone(zone);
  offering->set_capacity_type(capacity_type);
  offering->set_price_micro_usd_per_hour(static_cast<std::int64_t>(usd * 1e6));
  offering->set_capacity(capacity);
}

inline hosts::InstanceType& add_type(hosts::CloudConfig& config, const std::string& name,
                                     std::uint32_t gpus) {
  hosts::InstanceType& type = *config.add_instance_types();
  type.set_name(name);
  type.set_cpu_milli(16'000);
  type.set_memory_bytes(64LL << 30);
  type.set_gpus(gpus);
  type.set_pods(110);
  if (gpus > 0) {
    type.set_gpu_model("H100");
    type.set_gpu_memory_mib(81'100);
  }
  return type;
}

/// g1 (1 GPU) is cheaper than g8 (8 GPUs); zone a is cheaper than zone b. A launch takes 2 s, a
/// termination 30 s.
inline hosts::CloudConfig small_cloud() {
  hosts::CloudConfig config;
  hosts::InstanceType& one = add_type(config, "g1", 1);
  add_offering(one, "a", "on-demand", 7.0);
  add_offering(one, "b", "on-demand", 7.5);
  add_offering(one, "a", "spot", 3.0);
  add_offering(one, "b", "spot", 3.5);
  hosts::InstanceType& eight = add_type(config, "g8", 8);
  add_offering(eight, "a", "on-demand", 55.0);
  add_offering(eight, "a", "spot", 24.0);
  config.mutable_launch()->set_a_ns(2'000'000'000);
  config.mutable_terminate()->set_a_ns(30'000'000'000);
  return config;
}

/// A call for these capacity types, any type and zone.
inline LaunchInstance call_for(std::initializer_list<const char*> capacity_types) {
  LaunchInstance call;
  call.set_request_id(1);
  call.set_node("n1");
  for (const char* type : capacity_types) call.add_capacity_types(type);
  return call;
}

inline SetPoolCapacity capacity(const std::string& type, const std::string& zone,
                                const std::string& capacity_type, int left) {
  SetPoolCapacity change;
  change.set_instance_type(type);
  change.set_zone(zone);
  change.set_capacity_type(capacity_type);
  change.set_capacity(left);
  return change;
}

}  // namespace troupe::cloud
