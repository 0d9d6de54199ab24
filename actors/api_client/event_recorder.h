// Kubernetes Events, recorded as client-go's EventRecorder does: what people read in `kubectl
// describe`.
//
// The same event again is a count on the first one; many events that differ only in their message
// become one; a source that floods one object is cut off. Writing is best effort: nobody waits for
// it and a failure is not retried.
//
//   EventRecorder events_{api_, "kubelet"};
//   events_.record(context, *pod, {"Normal", "Started", "Started container main"});
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "actors/api_client/api_client.h"

namespace troupe {

struct EventText {
  std::string type;    ///< "Normal" or "Warning"
  std::string reason;  ///< "FailedScheduling"
  std::string message;
};

class EventRecorder {
 public:
  // client-go tools/record/events_cache.go.
  static constexpr std::uint32_t kSpamBurst = 25;      ///< events about one object at once
  static constexpr double kSpamQps = 1.0 / 300;        ///< and one in five minutes after that
  static constexpr std::size_t kSimilarMessages = 10;  ///< before events count as one
  static constexpr Duration kSimilarInterval = std::chrono::seconds(600);
  static constexpr std::size_t kRemembered = 4096;  ///< the oldest are forgotten beyond that

  /// With `write` false only the fact is emitted and no API object made.
  EventRecorder(ApiClient& client, std::string component, bool write = true);

  void record(Context& context, const google::protobuf::Message& object, const EventText& text);

 private:
  struct Similar {  // events about one object with one reason
    std::set<std::string> messages;
    SimTime last;
  };
  struct Recorded {
    std::string name;  // of the Event object
    std::int32_t count = 0;
  };

  /// The message to record: the text's own, or the one that stands for all similar ones.
  std::string aggregate(const std::string& group, const EventText& text, SimTime now);
  bool allowed(const std::string& about, SimTime now);
  void create(Context& context, const google::protobuf::Message& object, const EventText& text,
              const std::string& name);
  void count(Context& context, const std::string& name_space, const Recorded& recorded);
  void forget_oldest();

  ApiClient& client_;
  std::string component_;
  bool write_;
  std::uint64_t created_ = 0;
  std::map<std::string, Similar> similar_;
  std::map<std::string, Recorded> recorded_;
  std::map<std::string, TokenBucket> allowance_;
  std::deque<std::string> order_;  // of recorded_, oldest first
};

}  // namespace troupe
