// The kubelet: `node/NAME`, the root actor of a node's host.
//
// It boots, registers its Node, becomes ready when the network is up and offers its GPUs when their
// plugin registers; watches the pods bound to it and runs each through a PodWorker; renews its
// lease. Modelled: admission, device manager, images, container starts, probes, restarts,
// termination, node status. Not modelled: eviction by resource pressure, volumes, cgroups, static
// pods, image garbage collection.
//
// After a crash of its host it begins from its configuration: it finds its Node there, lists its
// pods, and starts anew those whose restart policy says so. GPUs are unknown until their plugin
// registers again, and pods that need them are refused meanwhile (kubernetes/kubernetes#118559).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/actor.h"
#include "actors/api_client/informer.h"
#include "actors/kubelet/node_agents.h"
#include "actors/kubelet/node_object.h"
#include "actors/kubelet/parked_mail.h"
#include "actors/kubelet/pod_worker.h"
#include "messages/runtime.pb.h"
#include "messages/telemetry.pb.h"

namespace troupe::kubelet {

/// What the program wires into every kubelet; both may be null and must outlive it.
struct KubeletPorts {
  const WorkloadFactory* workloads = nullptr;
  const NodeAgents* agents = nullptr;
};

class KubeletActor final : public Actor {
 public:
  KubeletActor(std::shared_ptr<const hosts::NodeConfig> config, std::vector<Payload> attachments,
               KubeletPorts ports);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  using PodPtr = PodWorker::PodPtr;

  void handle(Context& context, const Delivery& delivery);
  void restore(const runtime::Restored& restored);
  void on_node_timer(Context& context, NodeTimer::Kind kind);
  void begin(Context& context);
  void booted(Context& context);
  void network_is_ready(Context& context);
  void register_device_plugin(Context& context);
  void spawn_host(Context& context);
  void heartbeat(Context& context);

  void pods_listed(Context& context);
  void add_pod(Context& context, const PodPtr& pod);
  void update_pod(Context& context, const PodPtr& before, const PodPtr& after);
  void remove_pod(Context& context, const PodPtr& pod);
  [[nodiscard]] PodWorker* find(const std::string& uid);
  void sweep(const std::string& uid);

  bool on_workload(Context& context, const Delivery& delivery);
  void on_gpu(Context& context, const workload::GpuHealthChanged& changed);
  // kubelet_faults.cpp
  bool on_fault(Context& context, const Delivery& delivery);
  void hang_kubelet(Context& context, bool hangs);
  void drop_device_plugin(Context& context, bool drops);
  void befall_pod(Context& context, const std::string& uid, const Payload& what);
  void on_pace(Context& context, const workload::GpuPaceChanged& changed);
  void report_usage(Context& context, const telemetry::ContainerUsageRequest& request,
                    const Address& to);
  void arm(Context& context, NodeTimer::Kind kind, Duration delay);

  KubeletPorts ports_;
  NodeRuntime node_;
  ApiClient api_;
  PodObjects objects_;
  NodeObject node_object_;
  Informer<k8s::Pod> pods_;
  Informer<k8s::Node> own_node_;
  bool restarted_ = false;
  bool hung_ = false;
  bool plugin_down_ = false;   ///< by a fault, whatever it was about to do
  bool plugin_waits_ = false;  ///< to register once it may
  ParkedMail parked_;
  std::vector<std::uint32_t> rebooted_gpus_;                   ///< had failed before the restart
  std::map<std::string, std::unique_ptr<PodWorker>> workers_;  ///< by uid
};

/// The builder of the host kind "node": `host_start` carries a NodeConfig, and with it the
/// ServingWorkloads it names.
[[nodiscard]] std::unique_ptr<Actor> make_kubelet(const Payload& host_start, KubeletPorts ports);

}  // namespace troupe::kubelet
