#include "emulator/processes/host_kinds.h"

#include "actors/api_client/elected_controller.h"
#include "actors/api_server/api_server_actor.h"
#include "actors/autoscalers/hpa/hpa_controller.h"
#include "actors/cloud/cloud_provider.h"
#include "actors/director/director.h"
#include "actors/kai/binder_actor.h"
#include "actors/kai/kai_scheduler_actor.h"
#include "actors/kai/pod_grouper_actor.h"
#include "actors/karpenter/karpenter_actor.h"
#include "actors/kube_scheduler/kube_scheduler_actor.h"
#include "actors/lessons/toy_actor.h"
#include "actors/load/load_generator.h"
#include "actors/serving/router_actor.h"
#include "actors/telemetry/telemetry_host.h"
#include "actors/workloads/controller_manager.h"
#include "emulator/processes/node_ports.h"

namespace troupe {
namespace {

/// A host whose root takes its configuration, the start's only attachment.
template <class Root, class Config>
std::unique_ptr<Actor> make_configured(const Payload& start) {
  return std::make_unique<Root>(*start.attachments().at(0).as<Config>());
}

/// Of one that may have replicas.
HostRegistry::Builder elected(HostRegistry::Builder build) {
  return [build = std::move(build)](const Payload& start) -> std::unique_ptr<Actor> {
    const hosts::LeaderElection* election = election_of(start);
    if (election == nullptr) return build(start);
    return std::make_unique<ElectedController>(*election, [build, start] { return build(start); });
  };
}

}  // namespace

HostRegistry all_host_kinds() {
  HostRegistry registry;
  registry.add("apiserver", apiserver::build_api_server);
  registry.add("kube-controller-manager", elected(workloads::build_controller_manager));
  registry.add("kube-scheduler",
               make_configured<kube_scheduler::KubeSchedulerActor, hosts::KubeSchedulerConfig>);
  registry.add("kai-scheduler", elected(make_configured<kai::KaiSchedulerActor, hosts::KaiConfig>));
  registry.add("kai-binder", make_configured<kai::BinderActor, hosts::KaiBinderConfig>);
  registry.add("kai-pod-grouper",
               make_configured<kai::PodGrouperActor, hosts::KaiPodGrouperConfig>);
  registry.add("karpenter", elected(karpenter::make_karpenter));
  registry.add("hpa", hpa::make_hpa_controller);
  registry.add("telemetry", telemetry::make_telemetry_host);
  registry.add("cloud", cloud::make_cloud);
  registry.add("node",
               [](const Payload& start) { return kubelet::make_kubelet(start, node_ports()); });
  registry.add("router", serving::make_router);
  registry.add("load", load::make_load_generator);
  registry.add("director", director::make_director);
  registry.add("toy", lessons::make_toy);
  return registry;
}

}  // namespace troupe
