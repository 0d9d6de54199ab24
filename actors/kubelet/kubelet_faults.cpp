// What befalls a kubelet and its pods: faults that come as messages to the node.

#include "actors/kubelet/kubelet.h"
#include "messages/fault.pb.h"

namespace troupe::kubelet {

bool KubeletActor::on_fault(Context& context, const Delivery& delivery) {
  if (const auto* hang = delivery.as<fault::HangKubelet>()) {
    hang_kubelet(context, !hang->heal());
  } else if (const auto* plugin = delivery.as<fault::DropDevicePlugin>()) {
    drop_device_plugin(context, !plugin->heal());
  } else if (const auto* pulls = delivery.as<fault::FailImagePulls>()) {
    node_.fail_pulls(pulls->image(), !pulls->heal());
  } else if (const auto* wanted = delivery.as<fault::ForPod>()) {
    befall_pod(context, wanted->uid(), delivery.payload.attachments().front());
  } else {
    return false;
  }
  return true;
}

// It renews no lease, hears no watch, probes nobody; what runs on the node goes on without it.
void KubeletActor::hang_kubelet(Context& context, bool hangs) {
  if (hung_ == hangs) return;
  hung_ = hangs;
  if (hung_) return;
  parked_.deliver(context,
                  [this](Context& later, const Delivery& delivery) { handle(later, delivery); });
}

void KubeletActor::drop_device_plugin(Context& context, bool drops) {
  plugin_down_ = drops;
  if (drops) {
    plugin_waits_ = node_.devices().plugin_registered();
    node_.devices().lose_plugin();
    node_object_.changed();
  } else if (plugin_waits_) {
    register_device_plugin(context);
  }
}

void KubeletActor::befall_pod(Context& context, const std::string& uid, const Payload& what) {
  PodWorker* worker = find(uid);
  if (worker == nullptr) return;
  if (const auto* kill = what.as<fault::KillContainer>()) {
    worker->kill_workload(context, kill->exit_code(), kill->reason());
    sweep(uid);
  } else if (const auto* probes = what.as<fault::FailProbes>()) {
    worker->fail_probes(context, *probes);
  }
}

void KubeletActor::on_pace(Context& context, const workload::GpuPaceChanged& changed) {
  node_.set_pace(changed.gpu(), changed.permille());
  for (const std::string& uid : node_.devices().holders(changed.gpu())) {
    if (PodWorker* worker = find(uid)) worker->tell_pace(context);
  }
}

}  // namespace troupe::kubelet
