#include "actors/api_client/work_queue.h"

#include <algorithm>
#include <utility>

namespace troupe {

WorkQueue::WorkQueue(WorkQueueOptions options, Work work)
    : options_(options),
      work_(std::move(work)),
      retry_bucket_(options.retry_qps, options.retry_burst) {}

void WorkQueue::add(Context& context, const std::string& key) {
  if (!dirty_.insert(key).second || processing_.contains(key)) return;
  queue_.push_back(key);
  wake(context);
}

void WorkQueue::add_after(Context& context, const std::string& key, Duration delay) {
  if (delay <= Duration::zero()) {
    add(context, key);
    return;
  }
  const SimTime due = context.now() + delay;
  const auto found = delayed_.find(key);
  if (found != delayed_.end()) {
    if (found->second.first <= due) return;
    timers_.cancel(context, found->second.second);
  }
  const TimerId timer =
      timers_.after(context, delay, "delayed " + key, [this, key](Context& later) {
        delayed_.erase(key);
        add(later, key);
      });
  delayed_[key] = {due, timer};
}

void WorkQueue::retry(Context& context, const std::string& key) {
  std::uint32_t& failures = failures_[key];
  Duration backoff = options_.backoff_min;
  for (std::uint32_t i = 0; i < failures && backoff < options_.backoff_max; ++i) backoff *= 2;
  ++failures;
  const Duration turn = retry_bucket_.take(context.now()) - context.now();
  add_after(context, key, std::max(std::min(backoff, options_.backoff_max), turn));
}

void WorkQueue::forget(const std::string& key) {
  failures_.erase(key);
}

void WorkQueue::done(Context& context, const std::string& key) {
  if (processing_.erase(key) == 0) return;
  if (dirty_.contains(key)) queue_.push_back(key);
  if (!queue_.empty()) wake(context);
}

std::uint32_t WorkQueue::retries(const std::string& key) const {
  const auto found = failures_.find(key);
  return found == failures_.end() ? 0 : found->second;
}

// A worker takes its next key in a message of its own, so whatever the handler in hand still adds
// is deduplicated first.
void WorkQueue::wake(Context& context) {
  if (awake_ || processing_.size() >= options_.workers) return;
  awake_ = true;
  timers_.after(context, Duration::zero(), "work", [this](Context& later) { dispatch(later); });
}

void WorkQueue::dispatch(Context& context) {
  awake_ = false;
  // Bounded by what waits now: a key that its own work adds again waits for the next wake-up.
  for (std::size_t left = queue_.size(); left > 0 && processing_.size() < options_.workers;
       --left) {
    const std::string key = std::move(queue_.front());
    queue_.pop_front();
    dirty_.erase(key);
    processing_.insert(key);
    work_(context, key);
  }
  if (!queue_.empty()) wake(context);
}

}  // namespace troupe
