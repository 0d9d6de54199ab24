// The scale of kube-scheduler's score plugins.
#pragma once

#include <cstdint>

namespace troupe::kube_scheduler {

/// The best score of a plugin before its weight; the worst is 0. Kubernetes,
/// pkg/scheduler/framework/interface.go, MaxNodeScore.
inline constexpr std::int64_t kMaxScore = 100;

}  // namespace troupe::kube_scheduler
