// Karpenter in a whole cluster on the virtual runtime: the real API server, cloud, kubelets,
// kube-scheduler and kube-controller-manager around it, and a user who creates and deletes objects.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/api_client/api_client.h"
#include "actors/api_server/api_server_actor.h"
#include "actors/cloud/cloud_provider.h"
#include "actors/karpenter/karpenter_actor.h"
#include "actors/kube_scheduler/kube_scheduler_actor.h"
#include "actors/kubelet/kubelet.h"
#include "actors/workloads/controller_manager.h"
#include "emulator/runtime/virtual_runtime.h"
#include "messages/cloud.pb.h"
#include "messages/facts.pb.h"
#include "messages/runtime.pb.h"
#include "tests/actors/karpenter/fixtures.h"

namespace troupe::karpenter::testing {

inline constexpr const char* kKarpenter = "controller/karpenter/0";
inline constexpr const char* kUser = "controller/user/0";

inline Distribution takes(Duration length) {
  Distribution result;
  result.set_a_ns(length.count());
  return result;
}

/// Creates each pod that it is sent, replaces each node, deletes each object that it is sent a key
/// of, and passes calls on to the cloud.
class User final : public Actor {
 public:
  void receive(Context& context, const Delivery& delivery) override {
    if (api_.receive(context, delivery)) return;
    const auto accepted = [](Context&, const ApiResult& result) {
      EXPECT_TRUE(result.ok()) << result.message;
    };
    if (const auto* key = delivery.as<api::ObjectKey>()) {
      api_.remove(context, *key, {}, accepted);
    } else if (const auto* pod = delivery.as<k8s::Pod>()) {
      api_.create(context, *pod, accepted);
    } else if (const auto* node = delivery.as<k8s::Node>()) {
      api_.update(context, *node, accepted);
    } else if (delivery.as<cloud::LaunchInstance>() != nullptr) {
      context.send(address_of("cloud/0"), delivery.payload, {.link = Link::Cloud});
    }
  }

 private:
  ApiClient api_{{.qps = 0}};
};

/// What happened: every fact with its time, and each object as it was last stored.
class History final : public Observer {
 public:
  struct Entry {
    SimTime at;
    Payload fact;
  };
  void on_fact(const FactRecord& record) override {
    entries_.push_back({record.key.time, record.fact});
    const auto* committed = record.fact.as<facts::ObjectCommitted>();
    if (committed == nullptr) return;
    const std::string key =
        committed->kind() + "/" + committed->namespace_() + "/" + committed->name();
    if (committed->deleted()) {
      objects_.erase(key);
    } else {
      objects_[key] = record.fact.attachments().at(0);
    }
  }

  template <class Fact>
  [[nodiscard]] std::vector<std::pair<SimTime, Fact>> of() const {
    std::vector<std::pair<SimTime, Fact>> found;
    for (const Entry& entry : entries_) {
      if (const Fact* fact = entry.fact.as<Fact>()) found.emplace_back(entry.at, *fact);
    }
    return found;
  }
  template <class T>
  [[nodiscard]] std::vector<std::shared_ptr<const T>> objects() const {
    std::vector<std::shared_ptr<const T>> found;
    for (const auto& entry : objects_) {
      const Payload& object = entry.second;
      if (object.as<T>() != nullptr) found.push_back(object.share<T>());
    }
    return found;
  }

 private:
  std::vector<Entry> entries_;
  std::map<std::string, Payload> objects_;
};

class World {
 public:
  hosts::KarpenterConfig karpenter;
  hosts::CloudConfig cloud;
  std::vector<Payload> initial;  ///< objects that are there from the beginning
  History history;

  /// Types g8 (8 GPUs) and c4 (4 cores) in zones a, b and c; a launch takes 2 s, a boot 30 s, the
  /// device plugin comes 10 s after the network, and a termination takes 20 s.
  World() {
    add_type(karpenter, "g8", 96, 512, 8);
    add_type(karpenter, "c4", 4, 16);
    karpenter.mutable_client()->set_qps(200);
    karpenter.mutable_client()->set_burst(300);
    karpenter.mutable_client()->set_api_servers(1);
    karpenter.set_cost_per_pod_ns(Duration(2ms).count());
    karpenter.set_disruption(true);
    *cloud.mutable_launch() = takes(2s);
    *cloud.mutable_terminate() = takes(20s);
    hosts::NodeConfig& node = *cloud.mutable_node();
    *node.mutable_boot() = takes(30s);
    *node.mutable_network_ready() = takes(5s);
    *node.mutable_device_plugin() = takes(10s);
    *node.mutable_container_start() = takes(1s);
    node.set_image_bandwidth_bytes_per_s(1'000'000'000);
    node.mutable_client()->set_qps(50);
    node.mutable_client()->set_burst(100);
    node.mutable_client()->set_api_servers(1);
  }

  /// Every pool of that type and capacity type gives `capacity` instances at most.
  void set_capacity(const std::string& type, const std::string& capacity_type, int capacity) {
    for (hosts::InstanceType& one : *karpenter.mutable_instance_types()) {
      for (auto& offering : *one.mutable_offerings()) {
        if (one.name() == type && offering.capacity_type() == capacity_type) {
          offering.set_capacity(capacity);
        }
      }
    }
  }

  void begin(std::uint64_t seed = 7) {
    *cloud.mutable_instance_types() = karpenter.instance_types();
    registry_.add("apiserver", apiserver::build_api_server);
    registry_.add("kube-controller-manager", workloads::build_controller_manager);
    registry_.add("kube-scheduler", [](const Payload& start) {
      return std::make_unique<kube_scheduler::KubeSchedulerActor>(
          *start.attachments().at(0).as<hosts::KubeSchedulerConfig>());
    });
    registry_.add("cloud", cloud::make_cloud);
    registry_.add("node", [](const Payload& start) { return kubelet::make_kubelet(start, {}); });
    registry_.add("karpenter", make_karpenter);
    registry_.add("user", [](const Payload&) { return std::make_unique<User>(); });
    runtime_ = std::make_unique<VirtualRuntime>(RuntimeOptions{.seed = seed}, registry_);
    runtime_->add_observer(history);
    start_control_plane();
    host("cloud/0", "cloud", {Payload::of(cloud)});
    host(kKarpenter, "karpenter", {Payload::of(karpenter)});
    host(kUser, "user", {});
  }
  void run_until(Duration since_start) {
    const auto defect = runtime_->run_until(at(since_start));
    ASSERT_FALSE(defect) << defect->actor << ": " << defect->what;
  }
  void create(const k8s::Pod& pod, Duration when) { tell(kUser, Payload::of(pod), when); }
  void remove(const api::ObjectKey& key, Duration when) { tell(kUser, Payload::of(key), when); }
  /// As a fault does.
  void tell(const std::string& path, Payload what, Duration when) {
    runtime_->inject(address_of(path), std::move(what), at(when));
  }
  void restart_karpenter(Duration when, Duration after) {
    runtime_->crash_host(kKarpenter, at(when), after);
  }
  [[nodiscard]] Digest digest() { return runtime_->digest(); }

  template <class Fact>
  [[nodiscard]] std::vector<std::pair<SimTime, Fact>> facts() const {
    return history.of<Fact>();
  }
  template <class Fact>
  [[nodiscard]] std::size_t count() const {
    return history.of<Fact>().size();
  }
  template <class T>
  [[nodiscard]] std::vector<std::shared_ptr<const T>> all() const {
    return history.objects<T>();
  }
  [[nodiscard]] std::vector<std::string> deletion_reasons() const {
    std::vector<std::string> reasons;
    for (const auto& [time, fact] : facts<facts::NodeClaimDeleted>()) {
      reasons.push_back(fact.reason());
    }
    return reasons;
  }

 private:
  void start_control_plane() {
    hosts::ApiServerConfig api_server;
    api_server.set_replicas(1);
    std::vector<Payload> objects = {Payload::of(api_server)};
    objects.insert(objects.end(), initial.begin(), initial.end());
    host("apiserver/0", "apiserver", std::move(objects));
    hosts::WorkloadControllersConfig workloads;
    *workloads.mutable_client() = karpenter.client();
    hosts::NodeLifecycleConfig lifecycle;
    *lifecycle.mutable_client() = karpenter.client();
    lifecycle.set_grace_ns(Duration(50s).count());
    lifecycle.set_monitor_period_ns(Duration(5s).count());
    host("controller/kube-controller-manager/0", "kube-controller-manager",
         {Payload::of(workloads), Payload::of(lifecycle)});
    hosts::KubeSchedulerConfig scheduler;
    *scheduler.mutable_client() = karpenter.client();
    scheduler.set_scheduler_name("default-scheduler");
    host("controller/kube-scheduler/0", "kube-scheduler", {Payload::of(scheduler)});
  }
  void host(const std::string& path, const std::string& kind, std::vector<Payload> with) {
    runtime::HostStart start;
    start.set_kind(kind);
    start.set_path(path);
    runtime_->start_host(path, Payload::of(std::move(start), std::move(with)));
  }

  HostRegistry registry_;
  std::unique_ptr<VirtualRuntime> runtime_;
};

/// A pool of on-demand machines of that type.
inline NodePool pool_of(const std::string& name, const std::string& type) {
  NodePool pool;
  pool.mutable_metadata()->set_name(name);
  require(pool, kInstanceTypeLabel, "In", {type});
  require(pool, kCapacityTypeLabel, "In", {"on-demand"});
  NodeClaimTemplateSpec& spec = *pool.mutable_spec()->mutable_template_()->mutable_spec();
  spec.set_expire_after("Never");
  Disruption& disruption = *pool.mutable_spec()->mutable_disruption();
  disruption.set_consolidation_policy("WhenEmpty");
  disruption.set_consolidate_after("1m");
  return pool;
}

/// A bare pod of that many GPUs, new.
inline k8s::Pod gpu_pod(const std::string& name, int gpus) {
  k8s::Pod pod;
  pod.mutable_metadata()->set_name(name);
  pod.mutable_metadata()->set_namespace_("default");
  k8s::Container& container = *pod.mutable_spec()->add_containers();
  container.set_name("main");
  container.set_image("image");
  k8s::ResourceRequirements& resources = *container.mutable_resources();
  set_amount(*resources.mutable_requests(), "cpu", Quantity::whole(1));
  for (auto* list : {resources.mutable_requests(), resources.mutable_limits()}) {
    set_amount(*list, "nvidia.com/gpu", Quantity::whole(gpus));
  }
  return pod;
}

}  // namespace troupe::karpenter::testing
