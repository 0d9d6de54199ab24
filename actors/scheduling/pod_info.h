// A pod as placement sees it: what is needed of it again and again, computed once.
//
// A request is the larger of what the containers ask for together and what the init containers ask
// for one after the other, with sidecars (init containers that restart always) counted throughout,
// plus the overhead. An extended resource that has a limit but no request asks for its limit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/scheduling/label_classes.h"
#include "actors/scheduling/resources.h"
#include "messages/k8s/core.pb.h"
#include "messages/sim_time.h"

namespace troupe::scheduling {

/// A term of a pod (anti-)affinity: pods that match, seen from one topology domain.
struct AffinityTerm {
  k8s::LabelSelector selector;
  bool has_selector = false;  ///< without one, nothing matches
  std::vector<std::string> namespaces;
  k8s::LabelSelector namespace_selector;
  bool has_namespace_selector = false;
  std::string topology_key;
  int weight = 0;  ///< 0 for a required term

  [[nodiscard]] bool matches(const std::string& name_space, const LabelMap& labels) const;
};

struct HostPort {
  std::string ip;        ///< "0.0.0.0" is all addresses
  std::string protocol;  ///< "TCP", "UDP", "SCTP"
  int port = 0;

  [[nodiscard]] bool conflicts_with(const HostPort& other) const;
};

struct PodAffinityTerms {
  std::vector<AffinityTerm> required_affinity;
  std::vector<AffinityTerm> required_anti_affinity;
  std::vector<AffinityTerm> preferred_affinity;
  std::vector<AffinityTerm> preferred_anti_affinity;
};

struct PodInfo {
  std::shared_ptr<const k8s::Pod> pod;
  Resources requests;  ///< with `pods` = 1
  /// What scores count: a pod that asks for no CPU or memory counts as 100 milli-CPU or 200 MiB
  /// (Kubernetes, pkg/scheduler/util/pod_resources.go: DefaultMilliCPURequest,
  /// DefaultMemoryRequest).
  std::int64_t scored_milli_cpu = 0;
  std::int64_t scored_memory_bytes = 0;
  LabelClass label_class = 0;
  std::vector<HostPort> host_ports;
  std::shared_ptr<const PodAffinityTerms> affinity;  ///< null for a pod without any

  [[nodiscard]] const std::string& uid() const { return pod->metadata().uid(); }
  [[nodiscard]] const std::string& name() const { return pod->metadata().name(); }
  [[nodiscard]] const std::string& name_space() const { return pod->metadata().namespace_(); }
  /// "namespace/name".
  [[nodiscard]] std::string full_name() const { return name_space() + "/" + name(); }
  [[nodiscard]] int priority() const { return pod->spec().priority(); }
  [[nodiscard]] bool terminating() const { return pod->metadata().has_deletion_timestamp(); }
  [[nodiscard]] SimTime created() const { return from_ns(pod->metadata().creation_timestamp()); }
  [[nodiscard]] bool has_anti_affinity() const {
    return affinity && !affinity->required_anti_affinity.empty();
  }
};

using PodPtr = std::shared_ptr<const PodInfo>;

[[nodiscard]] PodPtr make_pod_info(std::shared_ptr<const k8s::Pod> pod, LabelClasses& classes);

/// What the pod asks its node for, with `pods` = 1.
[[nodiscard]] Resources requests_of(const k8s::PodSpec& spec);

/// True once a pod needs nothing of its node any more: it succeeded or failed.
[[nodiscard]] bool is_finished(const k8s::Pod& pod);

}  // namespace troupe::scheduling
