// The replicas of the toy: single-GPU machines that boot, load a model and serve one request at a
// time.
//
// They also keep the GPU's account as facts, so that the ordinary report shows the toy: from the
// launch to the end of the boot a GPU is booting, then loading, then busy or ready. A replica of
// the ticking toy whose service ended between two ticks stays busy until the next one, because
// nothing can use it before: this is what the tick costs. So the toy's "idle" is the account's
// ready + unallocated, to the nanosecond.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "messages/lessons.pb.h"
#include "messages/payload.h"
#include "messages/sim_time.h"

namespace troupe::lessons {

enum class ReplicaState : std::uint8_t {
  Booting,   ///< the machine starts
  Loading,   ///< the model loads
  Free,      ///< waits for a request
  Serving,   ///< works on one
  Held,      ///< could take one, once its loop comes round
  Removing,  ///< given up, until its tick is over
};

struct ToyReplica {
  std::string name;
  ReplicaState state = ReplicaState::Booting;
  Duration until{0};       ///< the end of the boot, the load, the service or the removal
  Duration free_since{0};  ///< of Free and Removing

  [[nodiscard]] bool is_booting() const {
    return state == ReplicaState::Booting || state == ReplicaState::Loading;
  }
  [[nodiscard]] bool is_ready() const { return !is_booting() && state != ReplicaState::Removing; }
};

/// All times are since the beginning of the toy.
class ToyReplicas {
 public:
  /// Takes a request from the queue and says when its service ends; nothing if none waits.
  using TakeRequest = std::function<std::optional<Duration>()>;

  /// `name` begins the names of the replicas; facts are appended to `facts`.
  ToyReplicas(const ToyConfig& config, std::string name, std::vector<Payload>& facts);

  /// The replica that is there, ready, at the beginning.
  void begin(Duration now);
  void launch(Duration now);
  /// Ends the boots, services and removals that are due, and at a service point the loads.
  void advance(Duration now, bool service_point);
  /// Offers the queue to each replica that could take a request, in order of creation.
  void offer(Duration now, const TakeRequest& take);
  /// Gives up the first free replica, if there is one; its account ends `later`.
  void remove_free(Duration now, Duration later);
  /// Ends the account of all.
  void close(Duration now);

  [[nodiscard]] const std::vector<ToyReplica>& all() const { return replicas_; }
  /// How long replicas were free, without those that are free now.
  [[nodiscard]] Duration idle() const { return idle_; }
  /// The first change after `now` that comes by itself.
  [[nodiscard]] std::optional<Duration> next_change(Duration now) const;

 private:
  void end_stage(ToyReplica& replica, Duration now, bool service_point);
  void end_removals(Duration now);
  ToyReplica& add();
  void allocate_gpu(const ToyReplica& replica);
  void finish_loading(ToyReplica& replica);
  void terminate(const ToyReplica& replica, Duration now);

  const ToyConfig& config_;
  std::string name_;
  std::vector<Payload>& facts_;
  std::vector<ToyReplica> replicas_;
  std::uint64_t launched_ = 0;
  Duration idle_{0};
};

}  // namespace troupe::lessons
