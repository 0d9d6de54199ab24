// A serving replica as its kubelet knows it: the process in the pod at `node/NAME/pod/UID`, or the
// leader's in a group.
//
// It loads for minutes and answers nobody meanwhile: its port is closed, so probes, requests and
// scrapes are refused. Then it serves. SIGTERM closes the port again; requests in flight go on
// until the last is done or the grace is almost over, and are reset then, as they would be when the
// process is killed. In a group it waits for all members before it loads, and dies with any of
// them.
//
// Not modelled: vLLM's first requests being slower (lazy kernels), and a server that dies of its
// own defects.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/actor.h"
#include "actors/context.h"
#include "actors/serving/engine_server.h"
#include "actors/serving/load_plan.h"
#include "actors/serving/performance_model.h"
#include "actors/serving/shard_group.h"
#include "actors/serving/work_signals.h"
#include "messages/serving.pb.h"
#include "messages/workload.pb.h"

namespace troupe::serving {

class ReplicaActor final : public Actor {
 public:
  /// `loaded`: part of the initial state, so it serves at once.
  ReplicaActor(std::shared_ptr<const ServingWorkload> workload, ReplicaPlacement placement,
               bool loaded);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  enum class Phase : std::uint8_t { Gathering, Loading, Serving, Draining, Ended };

  void begin_loading(Context& context);
  void next_step(Context& context);
  void serve(Context& context);
  void join(Context& context, const Delivery& delivery, const ShardReady& ready);
  void leave(Context& context, const ShardLost& lost);
  void check_shards(Context& context);
  void terminate(Context& context, const workload::Terminate& terminate);
  void end_if_drained(Context& context);
  void end_at_grace(Context& context);
  /// The process ends: open connections are reset, GPUs fall idle, the kubelet and the group hear
  /// of it.
  void exit(Context& context, std::int32_t code, const std::string& reason);
  void answer_probe(Context& context, const Delivery& delivery,
                    const workload::ProbeRequest& probe);
  void ask_server(Context& context, const Delivery& delivery);
  void describe(Context& context, const EngineSetup& setup) const;
  [[nodiscard]] Result<EngineSetup> setup() const;
  [[nodiscard]] Parallelism parallelism() const;
  [[nodiscard]] bool listening() const { return phase_ == Phase::Serving; }
  [[nodiscard]] bool is_group() const { return placement_.group_size() > 1; }

  std::shared_ptr<const ServingWorkload> workload_;
  ReplicaPlacement placement_;
  bool loaded_;
  Phase phase_ = Phase::Gathering;
  std::optional<ShardGroup> group_;
  std::vector<LoadStep> steps_;
  std::size_t step_ = 0;
  std::uint32_t pace_permille_ = Engine::kFullPace;
  WorkSignals signals_;
  std::unique_ptr<EngineServer> server_;
  TimerId grace_timer_ = 0;
};

/// The workload of a serving pod: the replica, or a worker of its group. Null if no engine can be
/// made of it: the ServingWorkload is missing, or says nothing of the node's type of GPU, or the
/// pod was given none.
[[nodiscard]] std::unique_ptr<Actor> make_replica(std::shared_ptr<const ServingWorkload> workload,
                                                  const ReplicaPlacement& placement, bool loaded);

}  // namespace troupe::serving
