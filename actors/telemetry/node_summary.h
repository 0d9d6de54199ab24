// The kubelet's resource endpoint, at `node/NAME/summary`: what the containers of the node use, as
// of its last look.
//
// The kubelet's cAdvisor looks at its containers about every ten seconds, whoever asks in between
// gets the figures of that look. Nobody can tell whether it looks while nobody asks, so it only
// does so once it has been asked, and stops when it has not been asked for a minute: a thousand
// idle timers less.
#pragma once

#include <string>

#include "actors/actor.h"
#include "actors/context.h"
#include "messages/telemetry.pb.h"

namespace troupe::telemetry {

class NodeSummaryActor final : public Actor {
 public:
  /// cAdvisor, --housekeeping-interval.
  static constexpr Duration kHousekeeping = std::chrono::seconds(10);
  static constexpr Duration kIdle = std::chrono::minutes(1);

  /// `kubelet` is the path of the actor that knows the node's containers.
  explicit NodeSummaryActor(std::string kubelet) : kubelet_(std::move(kubelet)) {}

  void receive(Context& context, const Delivery& delivery) override;

 private:
  void look(Context& context);
  void answer(Context& context, const Delivery& delivery, const NodeSummaryRequest& request);

  std::string kubelet_;
  std::uint64_t round_ = 0;
  bool looking_ = false;  // a timer runs
  SimTime last_asked_{};
  NodeSummaryReply last_;
};

}  // namespace troupe::telemetry
