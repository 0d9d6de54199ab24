// The API objects of KAI's scheduler as its watches show them, and the session input that they
// make.
//
// A pod that has a node counts on it, whoever placed it. A pod with a BindRequest that has not
// failed counts as *Binding* on the node that the request names: only once the watch has brought
// the request, as KAI assumes nothing. Two cycles may therefore decide about one pod where that
// watch is late. Requests are found by the pod's name, not its uid.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/api_client/informer.h"
#include "actors/kai/session.h"
#include "actors/scheduling/cluster_cache.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/scheduling.pb.h"
#include "messages/kai.pb.h"

namespace troupe::kai {

class ClusterView {
 public:
  ClusterView(ApiClient& api, SessionOptions options);

  void start(Context& context);
  [[nodiscard]] bool synced() const;
  /// Grows with every change that a session could notice.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// The cluster as it is now; the snapshot stays valid until the next call.
  [[nodiscard]] SessionInput session_input(SimTime now);
  /// Requests that failed, or whose node is gone: to be deleted before the next session.
  [[nodiscard]] std::vector<std::shared_ptr<const BindRequest>> stale_requests() const;

  [[nodiscard]] std::shared_ptr<const k8s::Pod> pod(const std::string& path) const {
    return pods_.get(path);
  }
  [[nodiscard]] std::shared_ptr<const PodGroup> group(const std::string& path) const {
    return groups_.get(path);
  }
  /// Since when a group is stale, as the scheduler knows before the watch echoes it.
  void remember_stale(const std::string& group, std::optional<SimTime> since);

 private:
  using PodObject = std::shared_ptr<const k8s::Pod>;

  void watch_pods();
  void watch_others();
  void take_pod(const PodObject& pod);
  void drop_pod(const PodObject& pod);
  [[nodiscard]] JobSettings job_of(const PodGroup& group) const;
  [[nodiscard]] TaskSettings task_of(const scheduling::PodPtr& pod) const;
  [[nodiscard]] bool is_up(const PodGroup& group) const;
  [[nodiscard]] int priority_of(const std::string& class_name) const;
  [[nodiscard]] std::vector<QueueSettings> queues() const;

  SessionOptions options_;
  scheduling::ClusterCache cache_;
  scheduling::Snapshot snapshot_ = cache_.empty_snapshot();
  Informer<k8s::Node> nodes_;
  Informer<k8s::Pod> pods_;
  Informer<Queue> queues_;
  Informer<PodGroup> groups_;
  Informer<BindRequest> requests_;
  Informer<k8s::PriorityClass> classes_;
  /// "namespace/group" -> "namespace/pod" -> the pod.
  std::map<std::string, std::map<std::string, scheduling::PodPtr>> members_;
  std::map<std::string, std::optional<SimTime>> stale_;  ///< what this process found, by group
  std::uint64_t version_ = 0;
};

/// What a Queue object says, in our units.
[[nodiscard]] QueueSettings settings_of(const Queue& queue);

/// The state of a pod; `request` is its BindRequest, or null.
[[nodiscard]] TaskStatus status_of(const k8s::Pod& pod, const BindRequest* request);

/// "namespace/name" of the group that the pod says it belongs to; empty for none.
[[nodiscard]] std::string group_of(const k8s::Pod& pod);

}  // namespace troupe::kai
