#include "emulator/config/node_plan.h"

#include <set>

#include "emulator/config/host_plan.h"
#include "emulator/config/instance_catalogue.h"
#include "emulator/config/values.h"
#include "messages/dns_names.h"

namespace troupe::config {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint32_t kPodsDefault = 110;  // kubelet's --max-pods
// A node's network and disk, where the topology does not say: image pulls of 0.1 to 0.2 GB/s and
// local NVMe of 1 to 2 GB/s are what cold-start reports of GPU nodes show.
constexpr std::int64_t kImageBytesPerSecond = 200'000'000;
constexpr std::int64_t kDiskBytesPerSecond = 2'000'000'000;
// A vLLM image is 8 to 15 GB compressed.
constexpr std::int64_t kImageBytes = 10'000'000'000;
constexpr Duration kDcgmInterval = seconds(30);  // dcgm-exporter's -c 30000

// What one process can hold with room to spare, and more than any machine has.
constexpr std::size_t kNodesMax = 100'000;
constexpr std::uint32_t kGpusMax = 1024;

Distribution given_or(bool given, const Time& time, const std::string& path, Distribution fallback,
                      Problems& problems) {
  return given ? distribution(time, "nodeDefaults." + path, problems) : std::move(fallback);
}

// What every node does, listed or launched.
hosts::NodeConfig node_template(const Inputs& inputs, const WorkloadPlan& workloads,
                                Problems& problems) {
  const NodeDefaults& defaults = inputs.topology.node_defaults();
  hosts::NodeConfig node;
  // Medians of measured node starts: instance to kubelet 35 s on GPU types, CNI 8 s, and 15 s for a
  // device plugin whose driver is in the image (an operator's build takes 3 to 7 minutes).
  *node.mutable_boot() = given_or(defaults.has_boot(), defaults.boot(), "boot",
                                  lognormal(seconds(35), seconds(60)), problems);
  *node.mutable_network_ready() =
      given_or(defaults.has_network_ready(), defaults.network_ready(), "networkReady",
               lognormal(seconds(8), seconds(14)), problems);
  *node.mutable_device_plugin() =
      given_or(defaults.has_device_plugin(), defaults.device_plugin(), "devicePlugin",
               lognormal(seconds(15), seconds(30)), problems);
  *node.mutable_container_start() =
      given_or(defaults.has_container_start(), defaults.container_start(), "containerStart",
               lognormal(milliseconds(800), milliseconds(2000)), problems);
  node.set_image_bandwidth_bytes_per_s(bytes_or(defaults.image_bandwidth(), kImageBytesPerSecond));
  node.set_disk_bandwidth_bytes_per_s(bytes_or(defaults.disk_bandwidth(), kDiskBytesPerSecond));
  node.set_default_image_bytes(bytes_or(defaults.default_image_size(), kImageBytes));
  for (const NodeDefaults::Image& image : defaults.images()) {
    auto& added = *node.add_images();
    added.set_name(image.name());
    added.set_bytes(bytes_or(image.size(), 0));
    added.set_prepulled(image.prepulled());
  }
  node.set_dcgm_exporter(!defaults.has_dcgm_exporter() || defaults.dcgm_exporter());
  node.set_dcgm_period_ns(duration_or(defaults.dcgm_interval(), kDcgmInterval).count());
  node.set_parallel_image_pulls(defaults.parallel_image_pulls());
  node.mutable_client()->set_qps(50);  // kubelet's kubeAPIQPS and kubeAPIBurst
  node.mutable_client()->set_burst(100);
  node.mutable_client()->set_api_servers(1);
  for (const hosts::WorkloadProfile& profile : workloads.profiles) *node.add_workloads() = profile;
  return node;
}

void set_machine(const Inputs& inputs, const NodeGroup& group, const std::string& path,
                 hosts::NodeConfig& node, Problems& problems) {
  const InstanceTypeSpec* type = nullptr;
  if (!group.instance_type().empty()) {
    type = find_instance_type(inputs, group.instance_type());
    if (type == nullptr) {
      problems.add(path + ".instanceType", "unknown instance type '" + group.instance_type() +
                                               "'; the catalogue lists those known");
      return;
    }
    node.set_instance_type(type->name());
    node.set_price_micro_usd_per_hour(
        price_of(*type, group.capacity_type().empty() ? "on-demand" : group.capacity_type()));
  } else if (group.cpu().empty() || group.memory().empty()) {
    problems.add(path, "expected `instanceType`, or `cpu` and `memory`");
    return;
  }
  node.set_cpu_milli(milli_quantity_or(group.cpu(), type ? milli_quantity_or(type->cpu(), 0) : 0));
  node.set_memory_bytes(
      whole_quantity_or(group.memory(), type ? whole_quantity_or(type->memory(), 0) : 0));
  const std::uint32_t typical_pods = type && type->pods() != 0 ? type->pods() : kPodsDefault;
  node.set_pods(group.pods() != 0 ? group.pods() : typical_pods);
  node.set_gpus(group.has_gpus() ? group.gpus() : (type ? type->gpus() : 0));
  if (node.cpu_milli() <= 0) problems.add(path + ".cpu", "expected more than 0");
  if (node.memory_bytes() <= 0) problems.add(path + ".memory", "expected more than 0");
  if (node.gpus() > kGpusMax) {
    problems.add(path + ".gpus", "expected at most " + std::to_string(kGpusMax) + " on one node");
  }
  if (node.gpus() == 0) return;
  const std::string model =
      group.gpu_model().empty() && type ? type->gpu_model() : group.gpu_model();
  const serving::GpuSpec* gpu = find_gpu(inputs, model);
  if (gpu == nullptr) {
    problems.add(path + ".gpuModel",
                 model.empty()
                     ? "expected the model of its GPUs; topologies/gpus.yaml lists those known"
                     : "unknown GPU '" + model + "'; topologies/gpus.yaml lists those known");
    return;
  }
  node.set_gpu_model(gpu->name());
  node.set_gpu_memory_mib(gpu->memory_bytes() >> 20);
}

hosts::NodeConfig group_node(const Inputs& inputs, const NodeGroup& group, const std::string& path,
                             hosts::NodeConfig node, Problems& problems) {
  set_machine(inputs, group, path, node, problems);
  node.set_zone(group.zone());
  node.set_capacity_type(group.capacity_type());
  for (const auto& label : group.labels()) {
    auto& added = *node.add_labels();
    added.set_key(label.key());
    added.set_value(label.value());
  }
  for (const auto& taint : group.taints()) {
    auto& added = *node.add_taints();
    added.set_key(taint.key());
    added.set_value(taint.value());
    added.set_effect(taint.effect());
  }
  // It has been there for long: booted, joined, its GPUs allocatable.
  *node.mutable_boot() = constant(Duration::zero());
  *node.mutable_network_ready() = constant(Duration::zero());
  *node.mutable_device_plugin() = constant(Duration::zero());
  return node;
}

}  // namespace

void plan_nodes(const Inputs& inputs, const WorkloadPlan& workloads, plan::RunPlan& plan,
                Problems& problems) {
  const hosts::NodeConfig base = node_template(inputs, workloads, problems);
  std::set<std::string> names;
  for (int i = 0; i < inputs.topology.nodes_size(); ++i) {
    const NodeGroup& group = inputs.topology.nodes(i);
    const std::string path = "nodes[" + std::to_string(i) + "]";
    if (!is_dns_subdomain(group.name())) {
      problems.add(path + ".name", "expected lower-case letters, digits, '-' and '.', found \"" +
                                       group.name() + "\"");
    }
    hosts::NodeConfig node = group_node(inputs, group, path, base, problems);
    const std::uint32_t count = group.count() == 0 ? 1 : group.count();
    if (names.size() + count > kNodesMax) {
      problems.add(path + ".count",
                   "expected at most " + std::to_string(kNodesMax) + " nodes in all");
      return;
    }
    for (std::uint32_t k = 0; k < count; ++k) {
      node.set_name(group.count() == 0 ? group.name() : group.name() + "-" + std::to_string(k));
      if (!names.insert(node.name()).second) {
        problems.add(path + ".name", "a node '" + node.name() + "' is there already");
        break;
      }
      add_host(plan, "node/" + node.name(), "node", node, workloads.serving);
    }
  }
}

void plan_cloud(const Inputs& inputs, const WorkloadPlan& workloads, plan::RunPlan& plan,
                Problems& problems) {
  if (!inputs.topology.has_cloud()) return;
  const Cloud& cloud = inputs.topology.cloud();
  if (cloud.zones().empty()) {
    problems.add("cloud.zones", "expected at least one zone");
    return;
  }
  hosts::CloudConfig config;
  for (hosts::InstanceType& type : cloud_instance_types(inputs, problems)) {
    *config.add_instance_types() = std::move(type);
  }
  // A fleet call answers in about 2.3 s; a terminated instance is gone within a minute.
  *config.mutable_launch() = cloud.has_launch()
                                 ? distribution(cloud.launch(), "cloud.launch", problems)
                                 : lognormal(milliseconds(2300), milliseconds(3500));
  *config.mutable_terminate() = cloud.has_terminate()
                                    ? distribution(cloud.terminate(), "cloud.terminate", problems)
                                    : lognormal(seconds(30), seconds(60));
  config.set_spot_notice_ns(duration_or(cloud.spot_notice(), minutes(2)).count());  // AWS: 2 min
  *config.mutable_node() = node_template(inputs, workloads, problems);
  add_host(plan, "cloud/0", "cloud", std::move(config), workloads.serving);
}

}  // namespace troupe::config
