// A simulator of an autoscaled fleet as courses ship it, whose clock ticks; and the same without
// the ticks.
//
// One loop does everything at the multiples of `service_tick_ns`: requests that have arrived wait
// in a queue; each replica that is free takes one; the policy looks; requests that waited too long
// are dropped. So a replica takes at most one request a tick, and with ticks of 15 s a service
// of 2.4 s costs 15 s: the capacity is 16 % of what it seems, and the policy that reads a duty
// cycle, which then rises at the least load, looks best. With `service_tick_ns` = 0 a request
// starts as soon as a replica is free and is dropped the moment its patience ends; the policy still
// looks every `loop_ns`, with the same rules. The ranking of the policies turns round.
//
// The toy's idle time is that of replicas that are ready and have nothing to do, where in the
// ticking form a replica is busy until the tick after its service. The facts put exactly this into
// the account's `ready` class (toy_replicas.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/lessons/toy_policy.h"
#include "actors/lessons/toy_replicas.h"
#include "actors/lessons/toy_requests.h"
#include "messages/lessons.pb.h"
#include "messages/payload.h"
#include "messages/sim_time.h"

namespace troupe::lessons {

/// What is wrong with a configuration, or nothing.
[[nodiscard]] std::optional<std::string> problem_of(const ToyConfig& config);

struct ToyTotals {
  std::uint64_t started = 0;  ///< "done", in the toy's words
  std::uint64_t dropped = 0;
  std::uint64_t waiting = 0;      ///< neither, at the end
  std::int64_t replicas_max = 0;  ///< ready or booting at once
  Duration idle{0};               ///< GPU time
};

class Toy {
 public:
  /// `config` is free of problems and outlives the toy. `name` begins the names of its replicas,
  /// `first_id` is the id of its first request.
  Toy(const ToyConfig& config, const std::string& name, std::uint64_t first_id);
  Toy(const Toy&) = delete;
  Toy& operator=(const Toy&) = delete;

  /// Does all that is due at `now`, in the order that the header describes, and returns the facts
  /// of it.
  [[nodiscard]] std::vector<Payload> advance(Duration now);
  /// When to call next; nothing at the end.
  [[nodiscard]] std::optional<Duration> next(Duration now) const;
  [[nodiscard]] ToyTotals totals() const;

 private:
  [[nodiscard]] bool is_service_point(Duration now) const;
  void scale(Duration now);
  void drop(Duration now);

  const ToyConfig& config_;
  ToyPolicy policy_;
  Duration loop_end_{0};  ///< the loop runs before this moment
  Duration close_at_{0};  ///< the account ends: with the last tick
  std::vector<Payload> facts_;
  ToyRequests requests_;
  ToyReplicas replicas_;
  std::int64_t target_;
  std::int64_t replicas_max_ = 0;
  bool begun_ = false;
  bool closed_ = false;
};

}  // namespace troupe::lessons
