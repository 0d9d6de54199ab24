#include "actors/workloads/node_lifecycle/taint_writer.h"

#include <utility>

namespace troupe::workloads {

void TaintWriter::write(Context& context, const k8s::Node& node, TaintChange change, Done done) {
  attempt(context, node,
          std::make_shared<Change>(Change{key_of(node), std::move(change), std::move(done)}));
}

void TaintWriter::attempt(Context& context, const k8s::Node& node, const ChangePtr& change) {
  ++change->tries;
  const std::optional<Taints> taints = changed_taints(node, change->taints, context.now());
  if (!taints) {
    change->done(context, true);
    return;
  }
  k8s::Node partial;
  partial.mutable_metadata()->set_name(node.metadata().name());
  partial.mutable_metadata()->set_uid(node.metadata().uid());
  *partial.mutable_spec()->mutable_taints() = *taints;
  PatchOptions options{.resource_version = node.metadata().resource_version()};
  if (taints->empty()) options.clear.emplace_back("spec.taints");
  api_.patch(context, std::move(partial), options,
             [this, change](Context& later, const ApiResult& result) {
               if (result.conflict() && change->tries < kTries) {
                 api_.timers().after(later, kPause, "taint again",
                                     [this, change](Context& last) { again(last, change); });
               } else {
                 change->done(later, result.ok() || result.not_found());
               }
             });
}

void TaintWriter::again(Context& context, const ChangePtr& change) {
  api_.get(context, change->key, [this, change](Context& later, const ApiResult& result) {
    if (const auto node = result.as<k8s::Node>()) {
      attempt(later, *node, change);
    } else {
      change->done(later, result.not_found());
    }
  });
}

}  // namespace troupe::workloads
