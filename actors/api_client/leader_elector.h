// Leader election over a Lease object, as client-go's leaderelection package does it.
//
// Every replica of a controller tries; the one whose name is in the Lease leads. A replica goes by
// its own clock: it takes the Lease over when it has not seen it change for the lease's duration.
// The leader's other writes carry no proof that it still leads, so a leader that slept may write
// after another took over: that is the real protocol's gap.
//
//   LeaderElector elector_{api_, {.name = "kube-scheduler", .identity = context.path()}};
//   elector_.on_started([this](Context& context) { begin(context); });
//   elector_.on_stopped([this](Context& context) { forget_everything(context); });   // the real
//   process exits elector_.start(context);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "actors/api_client/api_client.h"
#include "messages/k8s/coordination.pb.h"

namespace troupe {

struct LeaderElectorOptions {
  std::string name_space = "kube-system";
  std::string name;      ///< of the Lease
  std::string identity;  ///< of this replica
  // k8s.io/component-base config defaults: 15 s, 10 s, 2 s.
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  /// ReleaseOnCancel: one that is told to shut down gives the lease away.
  bool release_on_cancel = false;
};

class LeaderElector {
 public:
  using Handler = std::function<void(Context&)>;

  LeaderElector(ApiClient& client, LeaderElectorOptions options);
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  void on_started(Handler handler) { started_ = std::move(handler); }
  /// The lease could not be renewed within the renew deadline, or another holds it.
  void on_stopped(Handler handler) { stopped_ = std::move(handler); }
  void start(Context& context);
  /// The process is told to shut down.
  void shut_down(Context& context);
  /// A fault: the loop that renews hangs, with all that it had asked for. It neither renews nor
  /// sees that it has lost, until it goes on.
  void hang(Context& context);
  void go_on(Context& context);

  [[nodiscard]] bool leading() const { return leading_; }
  /// Who held the lease when it was last read.
  [[nodiscard]] const std::string& holder() const { return holder_; }

 private:
  using Ended = void (LeaderElector::*)(Context&, const ApiResult&, SimTime sent);
  [[nodiscard]] ApiCallback unless_hung(Context& context, Ended then);
  void attempt_after(Context& context, Duration delay, std::string_view purpose);
  void attempt(Context& context);
  void read(Context& context);
  void on_get(Context& context, const ApiResult& result, SimTime sent);
  void observe(Context& context, const std::shared_ptr<const k8s::Lease>& lease);
  void write(Context& context, bool create);
  void on_write(Context& context, const ApiResult& result, SimTime sent);
  void again(Context& context);
  void watch_deadline(Context& context);
  void stop_leading(Context& context);
  [[nodiscard]] k8s::Lease next_lease(SimTime now) const;

  ApiClient& client_;
  LeaderElectorOptions options_;
  Handler started_;
  Handler stopped_;
  std::shared_ptr<const k8s::Lease> observed_;
  SimTime observed_at_ = kTimeZero;
  SimTime renewed_at_ = kTimeZero;
  std::string holder_;
  std::uint64_t attempts_ = 0;
  std::uint64_t loop_ = 0;  ///< grows when it hangs: what an earlier loop waits for is void
  bool hangs_ = false;
  bool leading_ = false;
};

}  // namespace troupe
