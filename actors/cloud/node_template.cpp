#include "actors/cloud/node_template.h"

#include <map>

namespace troupe::cloud {

hosts::NodeConfig node_config_of(const hosts::NodeConfig& base, const Pool& pool,
                                 const LaunchInstance& call, const InstanceIdentity& identity) {
  const hosts::InstanceType& type = *pool.type;
  hosts::NodeConfig node = base;
  node.set_name(identity.node);
  node.set_instance(identity.id);
  node.set_instance_type(type.name());
  node.set_zone(pool.zone);
  node.set_capacity_type(pool.capacity_type);
  node.set_node_pool(call.node_pool());
  node.set_price_micro_usd_per_hour(pool.price_micro_usd_per_hour);
  node.set_cpu_milli(type.cpu_milli());
  node.set_memory_bytes(type.memory_bytes());
  if (type.pods() > 0) node.set_pods(type.pods());
  node.set_gpus(type.gpus());
  node.set_gpu_model(type.gpu_model());
  node.set_gpu_memory_mib(type.gpu_memory_mib());
  if (type.has_boot()) *node.mutable_boot() = type.boot();

  std::map<std::string, std::string> labels;
  for (const auto* list : {&base.labels(), &type.labels(), &call.labels()}) {
    for (const auto& label : *list) labels[label.key()] = label.value();
  }
  node.clear_labels();
  for (const auto& [key, value] : labels) {
    auto* label = node.add_labels();
    label->set_key(key);
    label->set_value(value);
  }
  for (const auto& taint : call.taints()) *node.add_taints() = taint;
  return node;
}

}  // namespace troupe::cloud
