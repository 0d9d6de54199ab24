// A worker of a group that serves as one replica: it has GPUs, and its leader has the engine.
//
// It finds its leader by the leader's name, as it would in DNS, joins it, and says every few
// seconds that it is still there. It ends with its leader. Asked to end, it holds out until the
// leader has drained or its own grace is over, as a worker does whose preStop hook waits for the
// leader.
#pragma once

#include <cstdint>
#include <string>

#include "actors/actor.h"
#include "actors/api_client/api_client.h"
#include "actors/context.h"
#include "messages/serving.pb.h"
#include "messages/workload.pb.h"

namespace troupe::serving {

class ShardActor final : public Actor {
 public:
  /// Between two looks for a leader that has no address yet or does not listen.
  static constexpr Duration kLookupPeriod = std::chrono::seconds(1);

  explicit ShardActor(ReplicaPlacement placement) : placement_(std::move(placement)) {}

  void start(Context& context) override { look_up(context); }
  void receive(Context& context, const Delivery& delivery) override;

 private:
  void look_up(Context& context);
  void found(Context& context, const ApiResult& result);
  void say_ready(Context& context);
  void heartbeat(Context& context);
  void work(Context& context, const ShardWork& work);
  void refused(Context& context);
  void terminate(Context& context, const workload::Terminate& terminate);
  void exit(Context& context, std::int32_t code);

  ReplicaPlacement placement_;
  ApiClient api_{{.qps = 0}};
  Address leader_;
  std::uint64_t session_ = 0;     // of the leader that it joined
  SimTime heard_at_ = kTimeZero;  // from the leader
  TimerId heartbeat_ = 0;
  bool running_ = false;
  bool terminating_ = false;
  bool ended_ = false;
};

}  // namespace troupe::serving
