// The requests of the toy: arrivals, the first-in-first-out queue, those in service, and what
// becomes of each, as facts.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "messages/lessons.pb.h"
#include "messages/payload.h"
#include "messages/sim_time.h"

namespace troupe::lessons {

/// All times are since the beginning of the toy.
class ToyRequests {
 public:
  /// The n-th arrival is the request `first_id` + n; facts are appended to `facts`.
  ToyRequests(const ToyConfig& config, std::uint64_t first_id, std::vector<Payload>& facts);

  /// Puts whoever has arrived into the queue; reports first tokens and ends that are due.
  void advance(Duration now);
  /// Starts the service of the first in the queue and says when it ends.
  [[nodiscard]] std::optional<Duration> take(Duration now);
  /// Drops whoever has waited for `patience` or more.
  void drop_after(Duration now, Duration patience);

  [[nodiscard]] std::int64_t waiting() const { return static_cast<std::int64_t>(queue_.size()); }
  [[nodiscard]] std::uint64_t started() const { return started_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  /// The next arrival, first token or end.
  [[nodiscard]] std::optional<Duration> next_change() const;
  /// When the first in the queue will have waited for `patience`.
  [[nodiscard]] std::optional<Duration> next_drop(Duration patience) const;

 private:
  struct Request {
    std::uint64_t id;
    Duration arrived;
    Duration event;  ///< the first token or the end of the service
  };
  void report_end(const Request& request, Duration now, bool completed);

  const ToyConfig& config_;
  std::uint64_t first_id_;
  std::vector<Payload>& facts_;
  int arrived_ = 0;
  std::deque<Request> queue_;
  // Every service takes the same time, so first tokens and ends come in the order of the starts.
  std::deque<Request> first_tokens_;
  std::deque<Request> ends_;
  std::uint64_t started_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace troupe::lessons
