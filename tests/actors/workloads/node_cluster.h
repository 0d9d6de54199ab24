// A cluster whose nodes are the test's: it registers them, renews their leases, and lets them fall
// silent.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "actors/workloads/objects/taints.h"
#include "tests/actors/workloads/cluster.h"
#include "tests/support/cluster_objects.h"

namespace troupe::workloads::testing {

using troupe::testing::NodeBuilder;

class NodeCluster : public Cluster {
 public:
  /// client-go's 5 requests a second would be what most of these tests wait for.
  static hosts::WorkloadControllersConfig quick() {
    hosts::WorkloadControllersConfig config;
    config.mutable_client()->set_qps(1000);
    config.mutable_client()->set_burst(2000);
    config.mutable_client()->set_api_servers(1);
    return config;
  }
  explicit NodeCluster(const hosts::WorkloadControllersConfig& config = quick()) : Cluster(config) {
    has_node_ = true;
  }

  /// What a kubelet does when it starts, and from now on every ten seconds.
  void add_node(const std::string& name, const std::string& readiness = "True",
                const std::string& zone = "a") {
    k8s::Node node = NodeBuilder(name).zone(zone).raw();
    node.mutable_metadata()->clear_uid();
    node.mutable_status()->mutable_conditions(0)->set_status(readiness);
    create(std::move(node));
    living.insert(name);
  }
  /// The nodes that live renew their leases, and again every ten seconds of `span`.
  void live(Duration span) {
    for (; span > 0s; span -= 10s) {
      beat();
      network.run_for(std::min<Duration>(span, 10s));
    }
  }
  void beat() {
    for (const std::string& name : living) {
      network.as(kClient, [&](Context& context) { client().api.renew_node_lease(context, name); });
    }
  }
  /// What the kubelet writes.
  void report(const std::string& name, const std::string& readiness) {
    k8s::Node updated = *node(name);
    set_condition(*updated.mutable_status()->mutable_conditions(), {"Ready", readiness},
                  network.now());
    updated.mutable_status()->mutable_conditions(0)->set_last_heartbeat_time(to_ns(network.now()));
    ASSERT_TRUE(update_status(std::move(updated)).ok());
  }
  std::shared_ptr<const k8s::Node> node(const std::string& name) { return stored<k8s::Node>(name); }
  const k8s::Condition& ready(const std::string& name) {
    held_ = node(name);
    return *find_condition(held_->status().conditions(), "Ready");
  }
  std::set<std::string> taints(const std::string& name) {
    std::set<std::string> found;
    for (const k8s::Taint& taint : node(name)->spec().taints()) found.insert(to_string(taint));
    return found;
  }
  /// A pod that runs on the node and is ready, made by hand.
  void add_pod(const std::string& name, const std::string& node, k8s::Pod pod = {}) {
    if (pod.spec().containers().empty()) pod = troupe::testing::pod("default", name);
    pod.mutable_metadata()->set_name(name);
    pod.mutable_metadata()->set_namespace_("default");
    create(std::move(pod));
    run_pod(*stored<k8s::Pod>("default/" + name), node);
  }
  std::shared_ptr<const k8s::Pod> pod(const std::string& name) {
    return stored<k8s::Pod>("default/" + name);
  }
  bool is_leaving(const std::string& name) {
    const auto found = pod(name);
    return found == nullptr || found->metadata().has_deletion_timestamp();
  }

  std::set<std::string> living;

 private:
  std::shared_ptr<const k8s::Node> held_;
};

inline const std::string kNotReadyNoSchedule = "node.kubernetes.io/not-ready:NoSchedule";
inline const std::string kNotReadyNoExecute = "node.kubernetes.io/not-ready:NoExecute";
inline const std::string kUnreachableNoSchedule = "node.kubernetes.io/unreachable:NoSchedule";
inline const std::string kUnreachableNoExecute = "node.kubernetes.io/unreachable:NoExecute";

}  // namespace troupe::workloads::testing
