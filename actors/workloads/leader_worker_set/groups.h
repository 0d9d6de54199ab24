// The groups of a LeaderWorkerSet: a leader and its workers, found by owner, named NAME-GROUP and
// NAME-GROUP-WORKER.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "actors/workloads/core/pod_index.h"
#include "messages/lws.pb.h"

namespace troupe::workloads {

// leaderworkerset.x-k8s.io/v1: labels and annotations of the pods.
inline constexpr std::string_view kSetNameLabel = "leaderworkerset.sigs.k8s.io/name";
inline constexpr std::string_view kGroupIndexLabel = "leaderworkerset.sigs.k8s.io/group-index";
inline constexpr std::string_view kWorkerIndexLabel = "leaderworkerset.sigs.k8s.io/worker-index";
inline constexpr std::string_view kGroupKeyLabel = "leaderworkerset.sigs.k8s.io/group-key";
inline constexpr std::string_view kTemplateRevisionLabel =
    "leaderworkerset.sigs.k8s.io/template-revision-hash";
inline constexpr std::string_view kSizeAnnotation = "leaderworkerset.sigs.k8s.io/size";
inline constexpr std::string_view kLeaderNameAnnotation = "leaderworkerset.sigs.k8s.io/leader-name";
inline constexpr std::string_view kExclusiveTopologyAnnotation =
    "leaderworkerset.sigs.k8s.io/exclusive-topology";

[[nodiscard]] std::int32_t replicas_of(const lws::LeaderWorkerSet& set);
/// Pods of a group, the leader among them; 1 by default.
[[nodiscard]] std::int32_t size_of(const lws::LeaderWorkerSet& set);
/// A hash of the templates: pods that carry another one are of an older revision.
[[nodiscard]] std::string revision_key(const lws::LeaderWorkerSet& set);
/// "namespace/NAME-GROUP".
[[nodiscard]] std::string gang_of(const lws::LeaderWorkerSet& set, std::int32_t group);

struct Group {
  PodPtr leader;                           ///< never null; may be terminating
  std::map<std::int32_t, PodPtr> workers;  ///< by worker index, from 1

  /// Leader and all workers run and are ready.
  [[nodiscard]] bool is_ready(std::int32_t size) const;
  [[nodiscard]] bool is_of(std::string_view revision) const;
  [[nodiscard]] bool is_ending() const;
  [[nodiscard]] bool has_pending() const;
  /// A pod of it that was restarted or is being deleted, by which the whole group is to be made
  /// anew; null if none.
  [[nodiscard]] PodPtr failed_pod() const;
};

/// By group index.
using Groups = std::map<std::int32_t, Group>;
[[nodiscard]] Groups groups_of(const lws::LeaderWorkerSet& set, const PodIndex& pods);

/// The pod to create.
[[nodiscard]] k8s::Pod leader_pod(const lws::LeaderWorkerSet& set, std::int32_t group);
[[nodiscard]] k8s::Pod worker_pod(const lws::LeaderWorkerSet& set, const k8s::Pod& leader,
                                  std::int32_t worker);

}  // namespace troupe::workloads
