#include "actors/workloads/taint_eviction/stay.h"

#include <algorithm>

#include "messages/same_message.h"

namespace troupe::workloads {

Taints no_execute_taints(const k8s::Node& node) {
  Taints result;
  for (const k8s::Taint& taint : node.spec().taints()) {
    if (taint.effect() == kNoExecute) *result.Add() = taint;
  }
  return result;
}

bool same_taints(const Taints& a, const Taints& b) {
  return std::ranges::equal(a, b, same_message);
}

std::optional<Duration> stay_of(const Tolerations& tolerations, const Taints& taints) {
  std::optional<Duration> stay;
  for (const k8s::Taint& taint : taints) {
    const auto used = std::ranges::find_if(tolerations, [&](const k8s::Toleration& toleration) {
      return tolerates(toleration, taint);
    });
    if (used == tolerations.end()) return Duration::zero();
    if (!used->has_toleration_seconds()) continue;
    const Duration allowed =
        std::chrono::seconds(std::max<std::int64_t>(used->toleration_seconds(), 0));
    stay = stay ? std::min(*stay, allowed) : allowed;
  }
  return stay;
}

}  // namespace troupe::workloads
