// Writes what a cycle decided, in the order in which KAI's session does: one request after the
// other, each awaited.
//
// A statement ends at the first BindRequest that cannot be created; those of it that were created
// stay, so a gang may be left in part (KAI, framework/statement.go: Commit). Evictions are
// deletions of the pods, which ask no disruption budget.
#pragma once

#include <functional>

#include "actors/api_client/api_client.h"
#include "actors/api_client/event_recorder.h"
#include "actors/kai/cluster_view.h"
#include "messages/schedulers.pb.h"

namespace troupe::kai {

class CycleWriter {
 public:
  using Done = std::function<void(Context&)>;

  CycleWriter(ApiClient& api, EventRecorder& events, const ClusterView& view,
              std::string scheduler_name)
      : api_(api), events_(events), view_(view), scheduler_name_(std::move(scheduler_name)) {}

  /// Calls `done` when the last reply is in. One decision at a time.
  void write(Context& context, schedulers::KaiDecided decided, Done done);

 private:
  void next(Context& context);
  /// False if the pod is gone.
  bool begin_bind(Context& context, const schedulers::KaiBind& bind);
  void bind_failed(Context& context, const k8s::Pod& pod, const schedulers::KaiBind& bind,
                   const std::string& why);
  /// Whatever of the statement is left is not written.
  void skip_statement();
  void end_statement(Context& context, const schedulers::KaiStatement& statement);
  /// False if the pod is gone.
  bool evict(Context& context, const schedulers::KaiStatement& statement,
             const schedulers::KaiEviction& eviction);
  void tell_pipelined(Context& context, const schedulers::KaiBind& wait);
  void set_last_start(Context& context, const std::string& group);

  ApiClient& api_;
  EventRecorder& events_;
  const ClusterView& view_;
  std::string scheduler_name_;
  schedulers::KaiDecided decided_;
  int statement_ = 0;
  int bind_ = 0;
  int evictions_left_ = 0;
  Done done_;
};

}  // namespace troupe::kai
