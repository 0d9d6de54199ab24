// Kubernetes Events as Karpenter's own recorder makes them: one that was told is not told again for
// a while, however often the loop that tells it comes round.
#pragma once

#include <map>
#include <string>

#include "actors/api_client/event_recorder.h"

namespace troupe::karpenter {

class Recorder {
 public:
  /// Karpenter v1, pkg/events/recorder.go: defaultDedupeTimeout.
  static constexpr Duration kDedupe = std::chrono::minutes(2);

  explicit Recorder(ApiClient& client) : events_(client, "karpenter") {}

  /// Nothing if an event of that reason about that object was told less than `dedupe` ago.
  void record(Context& context, const google::protobuf::Message& object, const EventText& text,
              Duration dedupe = kDedupe);

 private:
  EventRecorder events_;
  std::map<std::string, SimTime> silent_until_;  ///< by object and reason
  SimTime next_cleanup_ = kTimeZero;
};

}  // namespace troupe::karpenter
