#include "actors/kube_scheduler/scheduling_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "messages/assert.h"

namespace troupe::kube_scheduler {
namespace {

bool is_gated(const scheduling::PodInfo& pod) {
  return !pod.pod->spec().scheduling_gates().empty();
}

/// Kubernetes orders the backoff queue by windows of a second and by priority within one, so that
/// what is popped early is what matters most (pkg/scheduler/backend/queue/backoff_queue.go:
/// backoffQOrderingWindowDuration).
std::int64_t window_of(SimTime time) {
  return to_ns(time) / std::chrono::nanoseconds(std::chrono::seconds(1)).count();
}

}  // namespace

Duration SchedulingQueue::backoff_after(std::uint32_t attempts) {
  if (attempts == 0) return Duration{0};
  Duration backoff = kBackoffMin;
  for (std::uint32_t i = 1; i < attempts && backoff < kBackoffMax; ++i) backoff *= 2;
  return std::min(backoff, kBackoffMax);
}

void SchedulingQueue::add(scheduling::PodPtr pod, SimTime now) {
  if (contains(pod->uid()) || in_flight_.contains(pod->uid())) return;
  QueuedPod queued{std::move(pod), now, 0, 0, false};
  if (is_gated(*queued.pod)) {
    queued.refused_by = scheduling::bit(scheduling::Plugin::SchedulingGates);
    put(std::move(queued), Where::Unschedulable, now);
  } else {
    put(std::move(queued), Where::Active, now);
  }
}

void SchedulingQueue::update(scheduling::PodPtr pod, SimTime now) {
  const auto at = entries_.find(pod->uid());
  if (at == entries_.end()) {
    add(std::move(pod), now);
    return;
  }
  Entry entry = std::move(at->second);
  take(pod->uid());
  entry.queued.pod = std::move(pod);
  const bool waits = entry.where == Where::Unschedulable;
  if (!waits || entry.queued.held || is_gated(*entry.queued.pod)) {
    put(std::move(entry.queued), entry.where, entry.backoff_until);
    return;
  }
  put_active_or_backoff(std::move(entry.queued), now);
}

void SchedulingQueue::remove(const std::string& uid) {
  if (contains(uid)) take(uid);
}

std::optional<QueuedPod> SchedulingQueue::pop(SimTime now) {
  if (!has_work()) return std::nullopt;
  const Index& index = active_.empty() ? backoff_ : active_;
  const std::string uid = index.begin()->second;
  QueuedPod pod = std::move(entries_.at(uid).queued);
  take(uid);
  pod.since = now;
  ++pod.attempts;
  pod.refused_by = 0;
  const std::uint64_t next_event = first_event_ + events_.size();
  in_flight_.emplace(uid, next_event);
  in_flight_by_event_.emplace(next_event, uid);
  return pod;
}

void SchedulingQueue::requeue_refused(QueuedPod pod, SimTime now) {
  const std::string uid = pod.pod->uid();
  const bool retry = !pod.held && missed_help(pod);
  done(uid);
  if (contains(uid)) return;
  pod.since = now;
  if (retry) {
    put_active_or_backoff(std::move(pod), now);
  } else {
    put(std::move(pod), Where::Unschedulable, now);
  }
}

void SchedulingQueue::requeue_failed(QueuedPod pod, SimTime now) {
  const std::string uid = pod.pod->uid();
  done(uid);
  if (contains(uid)) return;
  pod.since = now;
  const SimTime until = now + backoff_after(pod.attempts);
  put(std::move(pod), Where::ErrorBackoff, until);
}

void SchedulingQueue::done(const std::string& uid) {
  const auto at = in_flight_.find(uid);
  if (at == in_flight_.end()) return;
  in_flight_by_event_.erase({at->second, uid});
  in_flight_.erase(at);
  trim_events();
}

void SchedulingQueue::on_event(const ClusterEvent& event, SimTime now) {
  if (!in_flight_.empty()) events_.push_back(event);
  std::vector<std::string> helped;
  for (const std::string& uid : unschedulable_) {
    const Entry& entry = entries_.at(uid);
    if (!entry.queued.held && may_help(event, entry.queued.refused_by, *entry.queued.pod)) {
      helped.push_back(uid);
    }
  }
  for (const std::string& uid : helped) {
    QueuedPod pod = std::move(entries_.at(uid).queued);
    take(uid);
    put_active_or_backoff(std::move(pod), now);
  }
}

void SchedulingQueue::unblock(const std::string& uid) {
  const auto at = entries_.find(uid);
  if (at != entries_.end()) at->second.queued.held = false;
}

void SchedulingQueue::activate(const std::string& uid, SimTime now) {
  const auto at = entries_.find(uid);
  if (at == entries_.end()) return;
  QueuedPod pod = std::move(at->second.queued);
  take(uid);
  pod.held = false;
  put(std::move(pod), Where::Active, now);
}

void SchedulingQueue::flush_backoff(SimTime now) {
  flush(backoff_, now);
  flush(error_backoff_, now);
}

void SchedulingQueue::flush(Index& index, SimTime now) {
  const std::int64_t bound = pop_from_backoff_ ? window_of(now) : to_ns(now);
  std::vector<std::string> ready;
  for (const auto& [key, uid] : index) {
    if (std::get<0>(key) > bound) break;
    if (entries_.at(uid).backoff_until <= now) ready.push_back(uid);
  }
  for (const std::string& uid : ready) {
    QueuedPod pod = std::move(entries_.at(uid).queued);
    take(uid);
    put(std::move(pod), Where::Active, now);
  }
}

void SchedulingQueue::flush_unschedulable(SimTime now) {
  std::vector<std::string> stale;
  for (const std::string& uid : unschedulable_) {
    const Entry& entry = entries_.at(uid);
    if (!entry.queued.held && !is_gated(*entry.queued.pod) &&
        now - entry.queued.since > kUnschedulableMax) {
      stale.push_back(uid);
    }
  }
  for (const std::string& uid : stale) {
    QueuedPod pod = std::move(entries_.at(uid).queued);
    take(uid);
    put_active_or_backoff(std::move(pod), now);
  }
}

SchedulingQueue::Index* SchedulingQueue::index_of(Where where) {
  switch (where) {
    case Where::Active:
      return &active_;
    case Where::Backoff:
      return &backoff_;
    case Where::ErrorBackoff:
      return &error_backoff_;
    case Where::Unschedulable:
      break;
  }
  return nullptr;
}

SchedulingQueue::Key SchedulingQueue::key_of(const QueuedPod& pod, Where where,
                                             SimTime backoff_until) {
  std::int64_t first = 0;
  if (where == Where::Backoff || where == Where::ErrorBackoff) {
    first = pop_from_backoff_ ? window_of(backoff_until) : to_ns(backoff_until);
  }
  return {first, -std::int64_t{pod.pod->priority()}, to_ns(pod.since), ++arrivals_};
}

void SchedulingQueue::put(QueuedPod pod, Where where, SimTime backoff_until) {
  const std::string uid = pod.pod->uid();
  const Key key = key_of(pod, where, backoff_until);
  if (Index* index = index_of(where)) {
    index->emplace(key, uid);
  } else {
    unschedulable_.insert(uid);
  }
  const bool is_new =
      entries_.emplace(uid, Entry{std::move(pod), where, key, backoff_until}).second;
  TROUPE_ASSERT(is_new, "pod " + uid + " is in two queues");
}

void SchedulingQueue::take(const std::string& uid) {
  const auto at = entries_.find(uid);
  if (Index* index = index_of(at->second.where)) {
    index->erase(at->second.key);
  } else {
    unschedulable_.erase(uid);
  }
  entries_.erase(at);
}

void SchedulingQueue::put_active_or_backoff(QueuedPod pod, SimTime now) {
  const SimTime until = pod.since + backoff_after(pod.attempts);
  const Where where = until > now ? Where::Backoff : Where::Active;
  put(std::move(pod), where, until);
}

bool SchedulingQueue::missed_help(const QueuedPod& pod) const {
  const auto at = in_flight_.find(pod.pod->uid());
  if (at == in_flight_.end()) return false;
  const auto begin = events_.begin() + static_cast<std::ptrdiff_t>(at->second - first_event_);
  return std::any_of(begin, events_.end(), [&pod](const ClusterEvent& event) {
    return may_help(event, pod.refused_by, *pod.pod);
  });
}

void SchedulingQueue::trim_events() {
  const std::uint64_t needed = in_flight_by_event_.empty() ? first_event_ + events_.size()
                                                           : in_flight_by_event_.begin()->first;
  while (first_event_ < needed) {
    events_.pop_front();
    ++first_event_;
  }
}

}  // namespace troupe::kube_scheduler
