#include "actors/kube_scheduler/default_spread.h"

#include <algorithm>
#include <utility>

#include "messages/selector.h"

namespace troupe::kube_scheduler {

void add_service(const k8s::Service& service, const k8s::Pod& pod, k8s::LabelSelector& selector) {
  const LabelMap& wanted = service.spec().selector();
  if (service.metadata().namespace_() != pod.metadata().namespace_() || wanted.empty()) return;
  if (!contains_all(pod.metadata().labels(), wanted)) return;
  for (const k8s::KeyValue& label : wanted) {
    set_label(*selector.mutable_match_labels(), label.key(), label.value());
  }
}

void add_controller(const k8s::LabelSelector& of_controller, k8s::LabelSelector& selector) {
  for (const k8s::KeyValue& label : of_controller.match_labels()) {
    set_label(*selector.mutable_match_labels(), label.key(), label.value());
  }
  selector.mutable_match_expressions()->MergeFrom(of_controller.match_expressions());
}

const k8s::OwnerReference* controller_of(const k8s::ObjectMeta& meta) {
  const auto& owners = meta.owner_references();
  const auto at = std::find_if(owners.begin(), owners.end(),
                               [](const k8s::OwnerReference& owner) { return owner.controller(); });
  return at != owners.end() ? &*at : nullptr;
}

std::optional<k8s::LabelSelector> usable(k8s::LabelSelector selector) {
  if (selector.match_labels().empty() && selector.match_expressions().empty()) return std::nullopt;
  return selector;
}

}  // namespace troupe::kube_scheduler
