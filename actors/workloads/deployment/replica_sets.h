// The ReplicaSets of a Deployment: which one is new, which are old, and what their annotations say.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "messages/k8s/apps.pb.h"

namespace troupe::workloads {

using ReplicaSetPtr = std::shared_ptr<const k8s::ReplicaSet>;

inline constexpr std::string_view kRevisionAnnotation = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kDesiredAnnotation = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMaxAnnotation = "deployment.kubernetes.io/max-replicas";

/// spec.replicas; 1 where it is unset.
[[nodiscard]] std::int64_t replicas_of(const k8s::Deployment& deployment);
[[nodiscard]] std::int64_t replicas_of(const k8s::ReplicaSet& set);

/// What a rolling update may exceed and fall short by: maxSurge rounds up, maxUnavailable down, and
/// if both come to 0 the update could not move, so one pod may be missing. Recreate has neither.
struct Fences {
  std::int64_t surge = 0;
  std::int64_t unavailable = 0;
};
[[nodiscard]] Fences fences_of(const k8s::Deployment& deployment);
[[nodiscard]] bool is_rolling_update(const k8s::Deployment& deployment);

struct ReplicaSets {
  ReplicaSetPtr current;           ///< the one of the present template; null if there is none yet
  std::vector<ReplicaSetPtr> old;  ///< the others, oldest first

  [[nodiscard]] std::vector<ReplicaSetPtr> all() const;
};
/// Sorts a Deployment's sets. Of several with the present template the oldest is the current one.
[[nodiscard]] ReplicaSets sorted(const k8s::Deployment& deployment,
                                 std::vector<ReplicaSetPtr> sets);

[[nodiscard]] std::int64_t revision_of(const k8s::ReplicaSet& set);
[[nodiscard]] std::int64_t max_revision(const std::vector<ReplicaSetPtr>& sets);
/// The number in an annotation; `fallback` where it is absent or no number.
[[nodiscard]] std::int64_t number_in(const k8s::ObjectMeta& meta, std::string_view annotation,
                                     std::int64_t fallback);
/// Notes how many replicas the Deployment wants, by which a later change of that number is known.
/// True if that is new.
bool annotate_replicas(k8s::ReplicaSet& set, const k8s::Deployment& deployment);

// Sums over sets; null ones count nothing.
[[nodiscard]] std::int64_t wanted_replicas(const std::vector<ReplicaSetPtr>& sets);
[[nodiscard]] std::int64_t actual_replicas(const std::vector<ReplicaSetPtr>& sets);
[[nodiscard]] std::int64_t ready_replicas(const std::vector<ReplicaSetPtr>& sets);
[[nodiscard]] std::int64_t available_replicas(const std::vector<ReplicaSetPtr>& sets);

/// The set to create for the present template.
[[nodiscard]] k8s::ReplicaSet new_replica_set(const k8s::Deployment& deployment,
                                              std::int64_t replicas, std::int64_t revision);

}  // namespace troupe::workloads
