// A controller's work queue, as client-go's: each key once, one worker per key, failures back off.
//
// A key that is added while it waits is there once; one that is added while a worker has it is
// worked on again after that. Keys come out first in, first out. `work` may take virtual time: the
// worker is busy until done().
//
//   WorkQueue queue_{{.workers = 5}, [this](Context& context, const std::string& key) {
//   reconcile(context, key); }}; queue_.add(context, "prod/llama");
//   ... when the reconcile ends, perhaps many messages later:
//   result.ok() ? queue_.forget(key) : queue_.retry(context, key);
//   queue_.done(context, key);
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "actors/api_client/callback_timers.h"
#include "actors/api_client/token_bucket.h"
#include "actors/context.h"

namespace troupe {

struct WorkQueueOptions {
  std::uint32_t workers = 1;
  /// client-go DefaultTypedControllerRateLimiter: 5 ms * 2^failures, at most 1000 s, ...
  Duration backoff_min = std::chrono::milliseconds(5);
  Duration backoff_max = std::chrono::seconds(1000);
  /// ... and 10 retries a second with a burst of 100 over all keys, whichever is later; 0: no such
  /// limit.
  double retry_qps = 10;
  std::uint32_t retry_burst = 100;
};

class WorkQueue {
 public:
  using Work = std::function<void(Context&, const std::string& key)>;

  WorkQueue(WorkQueueOptions options, Work work);
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void add(Context& context, const std::string& key);
  void add_after(Context& context, const std::string& key, Duration delay);
  /// Adds the key after its backoff, which doubles with each retry until forget().
  void retry(Context& context, const std::string& key);
  /// The key has succeeded: its next backoff is the shortest again.
  void forget(const std::string& key);
  /// The worker that had the key is free.
  void done(Context& context, const std::string& key);

  /// Handles the queue's own timers.
  bool receive(Context& context, const Delivery& delivery) {
    return timers_.receive(context, delivery);
  }

  [[nodiscard]] std::size_t waiting() const { return queue_.size(); }
  [[nodiscard]] std::size_t busy() const { return processing_.size(); }
  [[nodiscard]] std::uint32_t retries(const std::string& key) const;

 private:
  void wake(Context& context);
  void dispatch(Context& context);

  WorkQueueOptions options_;
  Work work_;
  TokenBucket retry_bucket_;
  CallbackTimers timers_;
  std::deque<std::string> queue_;
  std::set<std::string> dirty_;  // in the queue, or to be put there when its worker is done
  std::set<std::string> processing_;
  std::map<std::string, std::uint32_t> failures_;
  // Keys that wait for their time: at most one timer per key, the earliest, as client-go's delaying
  // queue has it.
  std::map<std::string, std::pair<SimTime, TimerId>> delayed_;
  bool awake_ = false;
};

}  // namespace troupe
