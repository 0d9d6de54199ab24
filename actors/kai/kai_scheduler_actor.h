// KAI's scheduler: a cycle a second after the last one ended.
//
// A cycle first deletes bind requests that failed, then decides on a snapshot, waits for as long as
// deciding takes, and writes what it decided; then it rests. While the cluster does not change, a
// cycle that decided nothing decides nothing again, and is not computed anew, though it takes its
// time all the same.
#pragma once

#include <cstdint>
#include <string>

#include "actors/actor.h"
#include "actors/api_client/event_recorder.h"
#include "actors/kai/cluster_view.h"
#include "actors/kai/cycle_writer.h"
#include "actors/kai/group_reporter.h"
#include "messages/hosts.pb.h"

namespace troupe::kai {

class KaiSchedulerActor final : public Actor {
 public:
  explicit KaiSchedulerActor(hosts::KaiConfig config);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

  [[nodiscard]] static SessionOptions options_of(const hosts::KaiConfig& config);

 private:
  void begin_cycle(Context& context);
  void decide(Context& context);
  void end_cycle(Context& context, const schedulers::KaiDecided& decided);
  void rest(Context& context);
  /// How long deciding takes: so much for each task that a node was sought for, each node, each pod
  /// of the snapshot.
  [[nodiscard]] Duration cost_of(const Session& session) const;

  hosts::KaiConfig config_;
  ApiClient api_;
  ApiClient events_api_;
  EventRecorder events_;
  ClusterView view_;
  CycleWriter writer_;
  GroupReporter reporter_;
  std::size_t deletions_left_ = 0;
  /// The version of the cluster of which it is known that nothing is to be done, and what finding
  /// out cost.
  std::uint64_t idle_version_ = 0;
  Duration idle_cost_{0};
};

}  // namespace troupe::kai
