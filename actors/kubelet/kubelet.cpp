#include "actors/kubelet/kubelet.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "actors/distribution.h"
#include "actors/kubelet/gpu.h"
#include "messages/assert.h"
#include "messages/facts.pb.h"

namespace troupe::kubelet {
namespace {

// What survives a crash: which instance this was, that the device manager's checkpoint knew the
// GPUs, and which of them had failed. A new instance of the same name has nothing in common with
// the former one.
constexpr const char* kInstanceKey = "instance";
constexpr const char* kCheckpointKey = "device-plugin";
/// How a process ends whose GPU has gone: CUDA errors make frameworks exit with 1.
constexpr std::int32_t kErrorCode = 1;
constexpr std::string_view kFaultPrefix = "gpu-fault/";

std::string fault_key(std::uint32_t gpu) {
  return std::string(kFaultPrefix) + std::to_string(gpu);
}

facts::InstanceLaunched launched_fact(const hosts::NodeConfig& config) {
  facts::InstanceLaunched fact;
  fact.set_instance(provider_id_of(config));
  fact.set_instance_type(config.instance_type());
  fact.set_zone(config.zone());
  fact.set_capacity_type(config.capacity_type());
  fact.set_node(config.name());
  fact.set_gpus(config.gpus());
  fact.set_price_micro_usd_per_hour(config.price_micro_usd_per_hour());
  fact.set_node_pool(config.node_pool());
  fact.set_gpu_model(config.gpu_model());
  return fact;
}

bool is_terminal(const k8s::Pod& pod) {
  return pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed";
}

}  // namespace

KubeletActor::KubeletActor(std::shared_ptr<const hosts::NodeConfig> config,
                           std::vector<Payload> attachments, KubeletPorts ports)
    : ports_(ports),
      node_(config, std::move(attachments), ports.workloads),
      api_(ApiClientOptions::of(config->client())),
      objects_(api_),
      node_object_(api_, node_),
      pods_(api_, {.fields = {field_is("spec.nodeName", config->name())}}),
      own_node_(api_, {.fields = {field_is("metadata.name", config->name())}}) {
  pods_.on_synced([this](Context& context) { pods_listed(context); });
  pods_.on_add([this](Context& context, const PodPtr& pod) {
    if (pods_.synced()) add_pod(context, pod);
  });
  pods_.on_update([this](Context& context, const PodPtr& before, const PodPtr& after) {
    update_pod(context, before, after);
  });
  pods_.on_delete([this](Context& context, const PodPtr& pod) { remove_pod(context, pod); });
  own_node_.on_add([this](Context&, const auto& node) { node_object_.observed(node); });
  own_node_.on_update(
      [this](Context&, const auto&, const auto& node) { node_object_.observed(node); });
}

void KubeletActor::start(Context& context) {
  TROUPE_ASSERT(context.path() == node_.path(), "a kubelet lives at node/ and its node's name");
  // After `Restored`, which the runtime delivers first.
  arm(context, NodeTimer::BEGIN, Duration::zero());
}

void KubeletActor::receive(Context& context, const Delivery& delivery) {
  if (delivery.timer == 0 && on_fault(context, delivery)) return;
  if (hung_) {
    parked_.park(delivery);
  } else {
    handle(context, delivery);
  }
}

void KubeletActor::handle(Context& context, const Delivery& delivery) {
  if (const auto* timer = delivery.as<PodTimer>()) {
    if (PodWorker* worker = find(timer->uid())) worker->on_timer(context, *timer);
    sweep(timer->uid());
  } else if (const auto* node_timer = delivery.as<NodeTimer>()) {
    on_node_timer(context, node_timer->kind());
  } else if (on_workload(context, delivery) || api_.receive(context, delivery)) {
    return;
  } else if (const auto* restored = delivery.as<runtime::Restored>()) {
    restore(*restored);
  } else if (const auto* usage = delivery.as<telemetry::ContainerUsageRequest>()) {
    report_usage(context, *usage, delivery.sender);
  }
}

void KubeletActor::restore(const runtime::Restored& restored) {
  const auto& entries = restored.entries();
  const auto holds = [&entries](const std::string& key, const std::string& value) {
    return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
      return entry.key() == key && entry.value() == value;
    });
  };
  const std::string instance = provider_id_of(node_.config());
  restarted_ = holds(kInstanceKey, instance);
  if (restarted_ && holds(kCheckpointKey, instance)) node_.devices().restore_checkpoint();
  for (std::uint32_t gpu = 0; gpu < node_.config().gpus(); ++gpu) {
    if (restarted_ && holds(fault_key(gpu), instance)) rebooted_gpus_.push_back(gpu);
  }
}

void KubeletActor::on_node_timer(Context& context, NodeTimer::Kind kind) {
  switch (kind) {
    case NodeTimer::BEGIN:
      begin(context);
      break;
    case NodeTimer::BOOTED:
      booted(context);
      break;
    case NodeTimer::NETWORK_READY:
      network_is_ready(context);
      node_object_.write_now(context);
      break;
    case NodeTimer::DEVICE_PLUGIN:
      register_device_plugin(context);
      break;
    case NodeTimer::HEARTBEAT:
      heartbeat(context);
      break;
    case NodeTimer::IMAGE_PULLED:
      for (const std::string& image : node_.take_pulled(context)) {
        node_object_.changed();
        for (const auto& [uid, worker] : workers_) worker->on_image(context, image);
      }
      break;
    case NodeTimer::REGISTER:
      node_object_.register_node(context);
      break;
    default:
      break;
  }
}

// ---- the node ----

void KubeletActor::begin(Context& context) {
  const hosts::NodeConfig& config = node_.config();
  if (!restarted_) {
    context.persist(kInstanceKey, provider_id_of(config));
    // The cloud says so of what it launched.
    if (config.instance().empty()) context.emit(Payload::of(launched_fact(config)));
  }
  // The runtime's restart delay stands for a reboot.
  const Duration boot =
      restarted_ ? Duration::zero() : sample(config.boot(), context.random("boot", 0));
  if (boot == Duration::zero()) {
    booted(context);
  } else {
    arm(context, NodeTimer::BOOTED, boot);
  }
}

void KubeletActor::booted(Context& context) {
  const hosts::NodeConfig& config = node_.config();
  spawn_host(context);
  const Duration network = sample(config.network_ready(), context.random("network ready", 0));
  if (network == Duration::zero()) {
    network_is_ready(context);
  } else {
    arm(context, NodeTimer::NETWORK_READY, network);
  }
  node_object_.register_node(context);
  pods_.start(context);
  own_node_.start(context);
  // Where in the period the node's heart beats: nodes that boot together do not beat together.
  const auto phase = static_cast<std::int64_t>(uniform_below(
      context.random("heartbeat phase", 0), static_cast<std::uint64_t>(NodeObject::kTick.count())));
  arm(context, NodeTimer::HEARTBEAT, Duration(phase));
}

void KubeletActor::spawn_host(Context& context) {
  const hosts::NodeConfig& config = node_.config();
  for (std::uint32_t i = 0; i < config.gpus(); ++i) {
    context.spawn(node_.gpu_path(i),
                  std::make_unique<GpuActor>(
                      GpuSpec{config.name(), i, config.gpu_model(), config.gpu_memory_mib()}));
  }
  // A reboot resets them.
  for (const std::uint32_t gpu : std::exchange(rebooted_gpus_, {})) {
    context.persist(fault_key(gpu), {});
    facts::GpuRecovered fact;
    fact.set_node(config.name());
    fact.set_gpu(gpu);
    context.emit(Payload::of(std::move(fact)));
  }
  if (ports_.agents == nullptr) return;
  for (NodeAgent& agent : ports_.agents->make(config)) {
    context.spawn(node_.path() + "/" + agent.name, std::move(agent.actor));
  }
}

void KubeletActor::network_is_ready(Context& context) {
  node_object_.set_network_ready();
  const hosts::NodeConfig& config = node_.config();
  if (config.gpus() == 0) return;
  const Duration plugin = sample(config.device_plugin(), context.random("device plugin", 0));
  if (plugin == Duration::zero()) {
    register_device_plugin(context);
  } else {
    arm(context, NodeTimer::DEVICE_PLUGIN, plugin);
  }
}

void KubeletActor::register_device_plugin(Context& context) {
  plugin_waits_ = plugin_down_;
  if (plugin_down_) return;
  if (!node_.devices().resource_known()) {
    context.persist(kCheckpointKey, provider_id_of(node_.config()));
  }
  node_.devices().register_plugin();
  node_object_.changed();
}

void KubeletActor::heartbeat(Context& context) {
  node_object_.tick(context);
  arm(context, NodeTimer::HEARTBEAT, NodeObject::kTick);
}

void KubeletActor::arm(Context& context, NodeTimer::Kind kind, Duration delay) {
  NodeTimer timer;
  timer.set_kind(kind);
  context.set_timer(delay, Payload::of(std::move(timer)));
}

// ---- its pods ----

void KubeletActor::pods_listed(Context& context) {
  // kubelet admits what it finds in the order of creation (HandlePodAdditions).
  std::vector<PodPtr> pods;
  for (const auto& [path, pod] : pods_.cache()) pods.push_back(pod);
  std::stable_sort(pods.begin(), pods.end(), [](const PodPtr& a, const PodPtr& b) {
    return a->metadata().creation_timestamp() < b->metadata().creation_timestamp();
  });
  for (const PodPtr& pod : pods) add_pod(context, pod);
}

void KubeletActor::add_pod(Context& context, const PodPtr& pod) {
  const std::string& uid = pod->metadata().uid();
  if (workers_.contains(uid)) return;
  if (is_terminal(*pod)) {
    if (pod->metadata().has_deletion_timestamp()) objects_.remove(context, *pod);
    return;
  }
  auto begin = PodWorker::Begin::New;
  if (pod->metadata().has_deletion_timestamp()) {
    begin = PodWorker::Begin::Deleting;
  } else if (pod->status().phase() == "Running") {
    begin = restarted_ ? PodWorker::Begin::AfterRestart : PodWorker::Begin::Initial;
  }
  auto& worker = workers_[uid] = std::make_unique<PodWorker>(pod, node_, objects_);
  worker->begin(context, begin);
}

void KubeletActor::update_pod(Context& context, const PodPtr& before, const PodPtr& after) {
  if (before->metadata().uid() != after->metadata().uid()) {
    // The end of one pod and the birth of the next of its name fell into a gap of the watch.
    remove_pod(context, before);
    add_pod(context, after);
  } else if (PodWorker* worker = find(after->metadata().uid())) {
    worker->update(context, after);
  } else if (after->metadata().has_deletion_timestamp()) {
    objects_.remove(context, *after);
  }
}

void KubeletActor::remove_pod(Context& context, const PodPtr& pod) {
  const std::string& uid = pod->metadata().uid();
  objects_.forget(uid);
  if (PodWorker* worker = find(uid)) worker->object_gone(context);
  sweep(uid);
}

PodWorker* KubeletActor::find(const std::string& uid) {
  const auto found = workers_.find(uid);
  return found == workers_.end() ? nullptr : found->second.get();
}

void KubeletActor::sweep(const std::string& uid) {
  const auto found = workers_.find(uid);
  if (found != workers_.end() && found->second->forgettable()) workers_.erase(found);
}

bool KubeletActor::on_workload(Context& context, const Delivery& delivery) {
  const auto from_worker = [this, &delivery](auto&& act) {
    const auto found = std::find_if(workers_.begin(), workers_.end(), [&](const auto& entry) {
      return entry.second->runs(delivery.sender);
    });
    if (found == workers_.end()) return;
    const std::string uid = found->first;
    act(*found->second);
    sweep(uid);
  };
  if (const auto* reply = delivery.as<workload::ProbeReply>()) {
    from_worker([&](PodWorker& worker) { worker.on_probe_reply(context, *reply); });
  } else if (const auto* exited = delivery.as<workload::Exited>()) {
    from_worker([&](PodWorker& worker) { worker.on_exited(context, *exited); });
  } else if (const auto* changed = delivery.as<workload::GpuHealthChanged>()) {
    on_gpu(context, *changed);
  } else if (const auto* pace = delivery.as<workload::GpuPaceChanged>()) {
    on_pace(context, *pace);
  } else if (const auto* usage = delivery.as<workload::SetUsage>()) {
    if (PodWorker* worker = find(usage->uid())) worker->set_usage(context, *usage);
  } else {
    return false;
  }
  return true;
}

void KubeletActor::on_gpu(Context& context, const workload::GpuHealthChanged& changed) {
  if (changed.healthy() != node_.devices().healthy(changed.gpu())) {
    context.persist(fault_key(changed.gpu()),
                    changed.healthy() ? std::string{} : provider_id_of(node_.config()));
    node_.devices().set_healthy(changed.gpu(), changed.healthy());
    node_object_.changed();
  }
  if (!changed.kills_pods()) return;
  for (const std::string& uid : node_.devices().holders(changed.gpu())) {
    const bool linked = node_.devices().of(uid)->gpus.size() > 1;
    if (changed.who() == workload::GpuHealthChanged::LINKED && !linked) continue;
    if (PodWorker* worker = find(uid)) worker->kill_workload(context, kErrorCode, "Error");
    sweep(uid);
    // Of several who share a GPU, the first stands for the one that touched the broken memory.
    if (changed.who() == workload::GpuHealthChanged::ONE) break;
  }
}

void KubeletActor::report_usage(Context& context, const telemetry::ContainerUsageRequest& request,
                                const Address& to) {
  std::vector<telemetry::ContainerUsage> all;
  for (const auto& [uid, worker] : workers_) {
    const k8s::ObjectMeta& meta = worker->pod().metadata();
    for (const auto& [container, reading] : worker->usage().read(context.now())) {
      telemetry::ContainerUsage& usage = all.emplace_back();
      usage.set_namespace_(meta.namespace_());
      usage.set_pod(meta.name());
      usage.set_container(container);
      usage.set_started_ns(to_ns(reading.started));
      usage.set_cpu_core_ns(reading.cpu_core_ns);
      usage.set_memory_working_set_bytes(reading.memory_bytes);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.namespace_(), a.pod(), a.container()) <
           std::tie(b.namespace_(), b.pod(), b.container());
  });
  telemetry::ContainerUsageReply reply;
  reply.set_request_id(request.request_id());
  for (telemetry::ContainerUsage& usage : all) *reply.add_containers() = std::move(usage);
  context.send(to, Payload::of(std::move(reply)), {.link = Link::Scrape});
}

std::unique_ptr<Actor> make_kubelet(const Payload& host_start, KubeletPorts ports) {
  const std::vector<Payload>& attachments = host_start.attachments();
  TROUPE_ASSERT(!attachments.empty(), "a node's host starts with its configuration");
  auto config = attachments.front().share<hosts::NodeConfig>();
  TROUPE_ASSERT(config != nullptr, "the configuration of a node is a NodeConfig");
  return std::make_unique<KubeletActor>(
      std::move(config), std::vector<Payload>(attachments.begin() + 1, attachments.end()), ports);
}

}  // namespace troupe::kubelet
