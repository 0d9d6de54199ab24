// The pods that wait to be scheduled: kube-scheduler's three queues.
//
// *Active*: to be tried, by priority, then by time. *Backoff*: tried before, and something happened
// since that may help, but its pause is not over; the pause doubles from 1 s to 10 s with each
// attempt. *Unschedulable*: nothing that could help has happened; after five minutes it is tried
// all the same. While a pod is being tried, events are remembered for it, so that one that arrives
// between the decision and its failure is not lost. Since Kubernetes 1.33 an idle scheduler takes
// pods out of the backoff queue at once, unless they failed of an error.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "actors/kube_scheduler/cluster_event.h"
#include "messages/sim_time.h"

namespace troupe::kube_scheduler {

/// A pod in a queue, or popped from one.
struct QueuedPod {
  scheduling::PodPtr pod;
  SimTime since;               ///< when it entered the queue where it is
  std::uint32_t attempts = 0;  ///< how often it was popped
  scheduling::PluginSet refused_by = 0;
  /// It preempts: not to be tried until only its last victim is left to be told to go.
  bool held = false;
};

class SchedulingQueue {
 public:
  // Kubernetes, pkg/scheduler/apis/config/v1/defaults.go: podInitialBackoffSeconds,
  // podMaxBackoffSeconds.
  static constexpr Duration kBackoffMin = std::chrono::seconds(1);
  static constexpr Duration kBackoffMax = std::chrono::seconds(10);
  // pkg/scheduler/backend/queue/scheduling_queue.go: DefaultPodMaxInUnschedulablePodsDuration.
  static constexpr Duration kUnschedulableMax = std::chrono::minutes(5);

  /// `pop_from_backoff` is the gate SchedulerPopFromBackoffQ.
  explicit SchedulingQueue(bool pop_from_backoff) : pop_from_backoff_(pop_from_backoff) {}

  void add(scheduling::PodPtr pod, SimTime now);
  /// A pod that waits has changed: it is tried again, as the change may help. One unknown here is
  /// added.
  void update(scheduling::PodPtr pod, SimTime now);
  void remove(const std::string& uid);
  [[nodiscard]] bool contains(const std::string& uid) const { return entries_.contains(uid); }

  /// The next pod to try. It stays in flight until requeue or done.
  std::optional<QueuedPod> pop(SimTime now);
  /// No node took the pod: it waits for an event that may help, or not at all if one came while it
  /// was tried.
  void requeue_refused(QueuedPod pod, SimTime now);
  /// Something failed that has nothing to do with the cluster's state, such as the bind call.
  void requeue_failed(QueuedPod pod, SimTime now);
  /// The pod is bound or gone.
  void done(const std::string& uid);

  /// Moves the pods that the event may help.
  void on_event(const ClusterEvent& event, SimTime now);
  /// A held pod may be moved by events again.
  void unblock(const std::string& uid);
  /// Tries a pod that waits at once, held or not.
  void activate(const std::string& uid, SimTime now);
  /// Call each second: pods whose backoff is over become active.
  void flush_backoff(SimTime now);
  /// Call every 30 seconds: pods that were unschedulable for more than five minutes are tried
  /// again.
  void flush_unschedulable(SimTime now);

  [[nodiscard]] bool has_work() const {
    return !active_.empty() || (pop_from_backoff_ && !backoff_.empty());
  }
  [[nodiscard]] std::size_t active() const { return active_.size(); }
  [[nodiscard]] std::size_t backing_off() const { return backoff_.size() + error_backoff_.size(); }
  [[nodiscard]] std::size_t unschedulable() const { return unschedulable_.size(); }

  /// The pause after that many attempts.
  [[nodiscard]] static Duration backoff_after(std::uint32_t attempts);

 private:
  enum class Where : std::uint8_t { Active, Backoff, ErrorBackoff, Unschedulable };
  /// (backoff's second or expiry, priority descending, since, arrival)
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::uint64_t>;
  struct Entry {
    QueuedPod queued;
    Where where = Where::Active;
    Key key;
    SimTime backoff_until;
  };
  using Index = std::map<Key, std::string>;

  Index* index_of(Where where);
  void put(QueuedPod pod, Where where, SimTime backoff_until);
  void take(const std::string& uid);
  void put_active_or_backoff(QueuedPod pod, SimTime now);
  [[nodiscard]] Key key_of(const QueuedPod& pod, Where where, SimTime backoff_until);
  [[nodiscard]] bool missed_help(const QueuedPod& pod) const;
  void flush(Index& index, SimTime now);
  void trim_events();

  bool pop_from_backoff_;
  std::uint64_t arrivals_ = 0;
  std::map<std::string, Entry> entries_;
  Index active_;
  Index backoff_;
  Index error_backoff_;
  std::set<std::string> unschedulable_;
  /// Pods being tried, with the number of the first event that they have not seen.
  std::map<std::string, std::uint64_t> in_flight_;
  std::set<std::pair<std::uint64_t, std::string>> in_flight_by_event_;
  std::deque<ClusterEvent> events_;
  std::uint64_t first_event_ = 0;  ///< the number of events_.front()
};

}  // namespace troupe::kube_scheduler
