#include "actors/workloads/stateful_set/plan.h"

#include <map>

#include "actors/workloads/deployment/template_hash.h"
#include "actors/workloads/objects/pods.h"
#include "messages/labels.h"

namespace troupe::workloads {
namespace {

// k8s.io/api/apps/v1.
constexpr std::string_view kPodNameLabel = "statefulset.kubernetes.io/pod-name";
constexpr std::string_view kPodIndexLabel = "apps.kubernetes.io/pod-index";
constexpr std::string_view kRevisionLabel = "controller-revision-hash";

class StatefulSetPlanner {
 public:
  StatefulSetPlanner(const k8s::StatefulSet& set, const OwnedPods& pods, SimTime now)
      : set_(set), revision_(revision_of(set)), now_(now) {
    plan_.updated = set;
    for (const auto& [path, pod] : pods.all()) surplus_[pod->metadata().name()] = pod;
  }

  NamedPodsPlan<k8s::StatefulSet> run() {
    for (std::int32_t i = 0; i < replicas(); ++i) {
      const auto there = surplus_.extract(name_of(first() + i));
      pods_.push_back(there.empty() ? nullptr : there.mapped());
    }
    report();
    if (fill() && scale_down()) update();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] static std::string revision_of(const k8s::StatefulSet& set) {
    return set.metadata().name() + "-" + template_hash(set.spec().template_(), 0);
  }
  [[nodiscard]] std::int32_t replicas() const {
    return set_.spec().has_replicas() ? set_.spec().replicas() : 1;
  }
  [[nodiscard]] std::int32_t first() const { return set_.spec().ordinals().start(); }
  [[nodiscard]] bool is_ordered() const {
    return set_.spec().pod_management_policy() != "Parallel";
  }
  [[nodiscard]] std::string name_of(std::int32_t ordinal) const {
    return set_.metadata().name() + "-" + std::to_string(ordinal);
  }
  [[nodiscard]] bool is_healthy(const PodPtr& pod) const {
    return pod != nullptr && !is_terminating(*pod) &&
           is_available(*pod, set_.spec().min_ready_seconds(), now_);
  }
  [[nodiscard]] bool is_updated(const k8s::Pod& pod) const {
    return label_or(pod.metadata().labels(), kRevisionLabel) == revision_;
  }

  [[nodiscard]] k8s::Pod pod_at(std::int32_t ordinal) const {
    k8s::Pod pod = pod_of(set_.spec().template_(), set_.metadata().namespace_());
    k8s::ObjectMeta& meta = *pod.mutable_metadata();
    meta.set_name(name_of(ordinal));
    *meta.add_owner_references() = controller_reference(set_);
    set_label(*meta.mutable_labels(), kPodNameLabel, meta.name());
    set_label(*meta.mutable_labels(), kPodIndexLabel, std::to_string(ordinal));
    set_label(*meta.mutable_labels(), kRevisionLabel, revision_);
    pod.mutable_spec()->set_hostname(meta.name());
    pod.mutable_spec()->set_subdomain(set_.spec().service_name());
    return pod;
  }

  void remove(const PodPtr& pod) {
    if (!is_terminating(*pod)) plan_.remove.push_back(pod);
  }

  /// Makes the pods that are missing and replaces those that have ended; in order, the next one
  /// waits for those before it. True if there is nothing to wait for.
  bool fill() {
    bool complete = true;
    for (std::int32_t i = 0; i < replicas(); ++i) {
      const PodPtr& pod = pods_[static_cast<std::size_t>(i)];
      if (pod == nullptr) {
        plan_.create.push_back(pod_at(first() + i));
      } else if (is_terminal(*pod)) {
        remove(pod);
      }
      if (is_healthy(pod)) continue;
      complete = false;
      if (is_ordered()) return false;
    }
    return complete || !is_ordered();
  }

  /// Takes away what is beyond the number, in order the highest first. True if nothing is.
  bool scale_down() {
    std::map<std::int64_t, PodPtr> doomed;
    for (const auto& [name, pod] : surplus_) doomed[ordinal_of(*pod)] = pod;
    for (auto at = doomed.rbegin(); at != doomed.rend(); ++at) {
      remove(at->second);
      if (is_ordered()) break;
    }
    return doomed.empty();
  }

  [[nodiscard]] static std::int64_t ordinal_of(const k8s::Pod& pod) {
    const std::string text(label_or(pod.metadata().labels(), kPodIndexLabel, "0"));
    std::int64_t ordinal = 0;
    for (const char digit : text) ordinal = ordinal * 10 + (digit - '0');
    return ordinal;
  }

  /// A rolling update replaces the highest outdated pod once all above it are healthy.
  void update() {
    if (set_.spec().update_strategy().type() == "OnDelete") return;
    // Counted from the first pod, whatever ordinals.start says.
    const std::int32_t partition = set_.spec().update_strategy().rolling_update().partition();
    for (std::int32_t i = replicas() - 1; i >= 0 && i >= partition; --i) {
      const PodPtr& pod = pods_[static_cast<std::size_t>(i)];
      if (pod != nullptr && !is_updated(*pod)) {
        remove(pod);
        return;
      }
      if (!is_healthy(pod)) return;
    }
  }

  void report() {
    k8s::StatefulSetStatus& status = *plan_.updated.mutable_status();
    std::int32_t there = 0;
    std::int32_t ready = 0;
    std::int32_t available = 0;
    std::int32_t updated = 0;
    for (const PodPtr& pod : pods_) {
      if (pod == nullptr) continue;
      ++there;
      if (is_ready(*pod)) ++ready;
      if (is_ready(*pod) && !is_healthy(pod) && set_.spec().min_ready_seconds() > 0) {
        plan_.again = std::chrono::seconds(set_.spec().min_ready_seconds());
      }
      if (is_healthy(pod)) ++available;
      if (is_updated(*pod) && !is_terminating(*pod)) ++updated;
    }
    status.set_observed_generation(set_.metadata().generation());
    status.set_replicas(there + static_cast<std::int32_t>(surplus_.size()));
    status.set_ready_replicas(ready);
    status.set_available_replicas(available);
    status.set_updated_replicas(updated);
    status.set_update_revision(revision_);
    if (!status.has_current_revision() || updated == replicas()) {
      status.set_current_revision(revision_);
    }
  }

  const k8s::StatefulSet& set_;
  std::string revision_;
  SimTime now_;
  NamedPodsPlan<k8s::StatefulSet> plan_;
  std::vector<PodPtr> pods_;               ///< by ordinal from the first on; null where missing
  std::map<std::string, PodPtr> surplus_;  ///< by name
};

}  // namespace

NamedPodsPlan<k8s::StatefulSet> plan_stateful_set(const k8s::StatefulSet& set,
                                                  const OwnedPods& pods, SimTime now) {
  return StatefulSetPlanner(set, pods, now).run();
}

}  // namespace troupe::workloads
