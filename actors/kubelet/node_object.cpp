#include "actors/kubelet/node_object.h"

#include <algorithm>
#include <utility>

#include "messages/conditions.h"
#include "messages/facts.pb.h"
#include "messages/kubelet.pb.h"

namespace troupe::kubelet {

NodeFacts NodeObject::facts(const Context& context) const {
  return {.config = node_.config(),
          .now = context.now(),
          .network_ready = network_ready_,
          .gpu_capacity = node_.devices().capacity(),
          .gpu_allocatable = node_.devices().allocatable(),
          .images = node_.images()};
}

NodeObject::Said NodeObject::present() const {
  Said said{network_ready_, {}};
  if (!node_.devices().plugin_registered()) return said;
  for (std::uint32_t gpu = 0; gpu < node_.config().gpus(); ++gpu) {
    if (node_.devices().healthy(gpu)) said.gpus.insert(gpu);
  }
  return said;
}

void NodeObject::register_node(Context& context) {
  writing_ = true;
  dirty_ = false;
  api_.create(context, node_of(facts(context)),
              [this, said = present()](Context& later, const ApiResult& result) {
                on_registered(later, result, said);
              });
}

void NodeObject::on_registered(Context& context, const ApiResult& result, const Said& said) {
  writing_ = false;
  if (result.ok()) {
    registered_ = true;
    acknowledge(context, result, said);
    if (dirty_) write_now(context);
    return;
  }
  if (result.already_exists()) {
    registered_ = true;
    write_now(context);
    return;
  }
  NodeTimer timer;
  timer.set_kind(NodeTimer::REGISTER);
  context.set_timer(retry_, Payload::of(std::move(timer)));
  retry_ = std::min(2 * retry_, kRetryMax);
}

void NodeObject::write_now(Context& context) {
  dirty_ = true;
  if (!registered_ || writing_) return;
  dirty_ = false;
  writing_ = true;
  k8s::Node partial;
  partial.mutable_metadata()->set_name(node_.config().name());
  *partial.mutable_status() =
      status_of(facts(context), seen_ != nullptr ? seen_->status() : k8s::NodeStatus{});
  last_written_ = context.now();
  api_.patch(context, std::move(partial), {.subresource = "status"},
             [this, said = present()](Context& later, const ApiResult& result) {
               on_written(later, result, said);
             });
}

void NodeObject::on_written(Context& context, const ApiResult& result, const Said& said) {
  writing_ = false;
  if (result.ok()) {
    acknowledge(context, result, said);
  } else if (!result.not_found()) {
    dirty_ = true;  // tried again at the next tick
  }
}

void NodeObject::acknowledge(Context& context, const ApiResult& result, const Said& said) {
  last_written_ = context.now();
  revision_ = std::max(revision_, revision_of(result.resource_version));
  if (said.ready && !acknowledged_.ready) {
    facts::NodeReady fact;
    fact.set_node(node_.config().name());
    context.emit(Payload::of(std::move(fact)));
  }
  for (const std::uint32_t gpu : said.gpus) {
    if (acknowledged_.gpus.contains(gpu)) continue;
    facts::GpuAllocatable fact;
    fact.set_node(node_.config().name());
    fact.set_gpu(gpu);
    context.emit(Payload::of(std::move(fact)));
  }
  acknowledged_ = said;
}

void NodeObject::tick(Context& context) {
  if (!registered_) return;
  api_.renew_node_lease(context, node_.config().name());
  if (dirty_ || context.now() - last_written_ >= kReport) write_now(context);
}

void NodeObject::observed(std::shared_ptr<const k8s::Node> node) {
  seen_ = std::move(node);
  if (writing_ || revision_of(seen_->metadata().resource_version()) <= revision_) return;
  if (is_true(seen_->status().conditions(), "Ready") != acknowledged_.ready) dirty_ = true;
}

}  // namespace troupe::kubelet
