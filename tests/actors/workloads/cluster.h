// A control plane with a kube-controller-manager for tests: real store, API server and controllers
// on a FakeNetwork, and the test itself in the place of schedulers and kubelets.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/workloads/controller_manager.h"
#include "messages/conditions.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/labels.h"
#include "tests/support/api_cluster.h"
#include "tests/support/cluster_objects.h"

namespace troupe::workloads::testing {

using namespace std::chrono_literals;
using troupe::testing::ApiCluster;

inline constexpr const char* kManager = "controller/kube-controller-manager/0";

inline SimTime at(Duration since_start) {
  return kTimeZero + since_start;
}

/// Registers a node and renews its lease every ten seconds.
class LivingNode final : public Actor {
 public:
  explicit LivingNode(std::string name) : name_(std::move(name)) {}
  void start(Context& context) override {
    k8s::Node node = troupe::testing::NodeBuilder(name_).raw();
    node.mutable_metadata()->clear_uid();
    api_.create(context, std::move(node), [](Context&, const ApiResult&) {});
    beat(context);
  }
  void receive(Context& context, const Delivery& delivery) override {
    api_.receive(context, delivery);
  }

 private:
  void beat(Context& context) {
    api_.renew_node_lease(context, name_);
    api_.timers().after(context, 10s, "lease", [this](Context& later) { beat(later); });
  }
  std::string name_;
  ApiClient api_{{.qps = 0}};
};

class Cluster : public ApiCluster {
 public:
  explicit Cluster(hosts::WorkloadControllersConfig config = {},
                   hosts::NodeLifecycleConfig nodes = {}) {
    network.add(kManager,
                [config, nodes] { return std::make_unique<ControllerManager>(config, nodes); });
    network.run_for(1s);
  }

  template <class T>
  std::vector<std::shared_ptr<const T>> all(const std::string& name_space = {}) {
    std::vector<std::shared_ptr<const T>> found;
    for (const Payload& item :
         list({.kind = std::string(kind_of<T>().name), .name_space = name_space}).items) {
      found.push_back(item.share<T>());
    }
    return found;
  }
  std::vector<std::shared_ptr<const k8s::Pod>> pods() { return all<k8s::Pod>(); }
  std::vector<std::shared_ptr<const k8s::Pod>> active_pods() {
    auto found = pods();
    std::erase_if(found, [](const auto& pod) {
      return pod->metadata().has_deletion_timestamp() || pod->status().phase() == "Failed" ||
             pod->status().phase() == "Succeeded";
    });
    return found;
  }

  /// What scheduler and kubelet do: bind the pod, let it run, make it ready. The node n1 lives from
  /// the first such pod on.
  void run_pod(const k8s::Pod& pod, const std::string& node = "n1") {
    if (node == "n1" && !std::exchange(has_node_, true)) {
      network.add("node/n1", [] { return std::make_unique<LivingNode>("n1"); });
    }
    if (pod.spec().node_name().empty()) bind(key_of(pod), node, pod.metadata().uid());
    set_pod(pod, "Running", true);
  }
  void set_pod(const k8s::Pod& pod, const std::string& phase, bool ready) {
    const auto now = stored<k8s::Pod>(path_of(pod.metadata()));
    if (now == nullptr) return;  // deleted meanwhile
    k8s::Pod updated = *now;
    updated.mutable_status()->set_phase(phase);
    updated.mutable_status()->set_pod_ip("node/n1/pod/" + pod.metadata().uid());
    set_condition(*updated.mutable_status()->mutable_conditions(),
                  {"Ready", ready ? "True" : "False"}, network.now());
    update_status(std::move(updated));
  }
  void run_all_pods() {
    for (const auto& pod : active_pods()) {
      if (pod->status().phase() == "Pending" || pod->status().phase().empty()) run_pod(*pod);
    }
    network.run_for(1s);
  }
  /// What the kubelet does when it has stopped a pod that is being deleted.
  void end_deleted_pods() {
    for (const auto& pod : pods()) {
      if (pod->metadata().has_deletion_timestamp())
        remove(key_of(*pod), {.grace_period_seconds = 0});
    }
    network.run_for(1s);
  }

  std::vector<std::string> event_reasons(const std::string& object) {
    std::vector<std::string> reasons;
    for (const auto* event : network.facts_of<facts::ObjectEventRecorded>()) {
      if (event->object() == object) reasons.push_back(event->reason());
    }
    return reasons;
  }

 protected:
  bool has_node_ = false;
};

inline k8s::PodTemplateSpec pod_template(const std::string& image = "web:1") {
  k8s::PodTemplateSpec result;
  set_label(*result.mutable_metadata()->mutable_labels(), "app", "web");
  k8s::Container& container = *result.mutable_spec()->add_containers();
  container.set_name("main");
  container.set_image(image);
  return result;
}

inline k8s::ReplicaSet replica_set(const std::string& name, int replicas) {
  k8s::ReplicaSet set;
  set.mutable_metadata()->set_name(name);
  set.mutable_metadata()->set_namespace_("default");
  set.mutable_spec()->set_replicas(replicas);
  set_label(*set.mutable_spec()->mutable_selector()->mutable_match_labels(), "app", "web");
  *set.mutable_spec()->mutable_template_() = pod_template();
  return set;
}

inline k8s::Deployment deployment(const std::string& name, int replicas) {
  k8s::Deployment result;
  result.mutable_metadata()->set_name(name);
  result.mutable_metadata()->set_namespace_("default");
  result.mutable_spec()->set_replicas(replicas);
  set_label(*result.mutable_spec()->mutable_selector()->mutable_match_labels(), "app", "web");
  *result.mutable_spec()->mutable_template_() = pod_template();
  return result;
}

}  // namespace troupe::workloads::testing
