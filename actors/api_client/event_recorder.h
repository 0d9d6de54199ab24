// Kubernetes Events, recorded as client-go's EventRecorder does: what people read in `kubectl
// describe`.
//
// The same event again is a count on the first one; a source that floods one object is cut off (25,
// then one in five minutes). Writing is best effort: nobody waits for it and a failure is not
// retried.
//
//   EventRecorder events_{api_, "kubelet"};
//   events_.record(context, *pod, {"Normal", "Started", "Started container main"});
#pragma once

#include <cstdint>
#include <map>
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
  /// With `write` false only the fact is emitted and no API object made.
  EventRecorder(ApiClient& client, std::string component, bool write = true);

  void record(Context& context, const google::protobuf::Message& object, const EventText& text);

 private:
  struct Recorded {
    std::string name;  // of the Event object
    std::int32_t count = 0;
  };

  [[nodiscard]] bool allowed(const std::string& object, SimTime now);
  void create(Context& context, const google::protobuf::Message& object, const EventText& text,
              Recorded& recorded);
  void count(Context& context, const std::string& name_space, const Recorded& recorded);

  ApiClient& client_;
  std::string component_;
  bool write_;
  std::map<std::string, Recorded> recorded_;      // by object and text
  std::map<std::string, TokenBucket> allowance_;  // by object
};

}  // namespace troupe
