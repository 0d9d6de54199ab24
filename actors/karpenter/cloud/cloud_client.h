// How Karpenter calls the cloud: each call ends in exactly one call of its callback, with the
// reply or, when none came in time, with nothing. Nothing is sent twice: whoever needs an answer
// asks again, and a launch carries a token that makes a second one harmless.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actors/api_client/callback_timers.h"
#include "actors/context.h"
#include "messages/cloud.pb.h"

namespace troupe::karpenter {

/// Called with the reply, or with null when none came in time.
template <class Reply>
using CloudCallback = std::function<void(Context&, const Reply*)>;

class CloudClient {
 public:
  /// How long a call may take before it counts as failed. The AWS SDK sets no limit on a reply;
  /// this one lies between the few seconds of a launch and the 30 s after which an instance that no
  /// claim knows of is taken for lost.
  static constexpr Duration kTimeout = std::chrono::seconds(20);

  CloudClient() = default;
  CloudClient(const CloudClient&) = delete;
  CloudClient& operator=(const CloudClient&) = delete;

  void launch(Context& context, cloud::LaunchInstance call,
              CloudCallback<cloud::LaunchInstanceReply> done) {
    send(context, std::move(call), std::move(done));
  }
  void terminate(Context& context, const std::string& provider_id,
                 CloudCallback<cloud::TerminateInstanceReply> done);
  /// The instances of those ids that exist; all for no ids.
  void describe(Context& context, const std::vector<std::string>& provider_ids,
                CloudCallback<cloud::DescribeInstancesReply> done);
  void subscribe_interruptions(Context& context);

  /// Handles the delivery if it is this client's: replies and timers.
  bool receive(Context& context, const Delivery& delivery);

 private:
  struct Pending {
    std::function<void(Context&, const Payload&)> done;
    TimerId deadline = 0;
  };

  template <class Call, class Reply>
  void send(Context& context, Call call, CloudCallback<Reply> done) {
    const std::uint64_t id =
        expect(context, [done = std::move(done)](Context& later, const Payload& reply) {
          done(later, reply.as<Reply>());
        });
    call.set_request_id(id);
    post(context, Payload::of(std::move(call)), id);
  }
  std::uint64_t expect(Context& context, std::function<void(Context&, const Payload&)> done);
  void finish(Context& context, std::uint64_t id, const Payload& reply);
  static void post(Context& context, Payload call, std::uint64_t id);

  CallbackTimers timers_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Pending> pending_;
};

}  // namespace troupe::karpenter
