// One controller of the kube-controller-manager.
//
// It hangs on the shared informers, has a client of its own with its own rate limit (as in the real
// one), and a queue of the objects that it has to look at. Nothing of it survives a crash of the
// manager, of which all controllers are part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "actors/api_client/api_client.h"
#include "actors/api_client/event_recorder.h"
#include "actors/api_client/work_queue.h"
#include "actors/workloads/core/shared_informers.h"
#include "messages/hosts.pb.h"

namespace troupe::workloads {

class Controller {
 public:
  virtual ~Controller() = default;
  /// The caches are filled: begin.
  virtual void start(Context& context) = 0;
  /// Handles the delivery if it is this controller's.
  virtual bool receive(Context& context, const Delivery& delivery) = 0;
};

struct ControllerOptions {
  ApiClientOptions client;
  std::uint32_t workers = 5;
  /// The CPU time of one sync: so much, and so much for each pod that it has to look at. In the
  /// order of what kube-controller-manager logs as "Finished syncing" at -v=4 when no API call is
  /// in it.
  Duration sync_cost = std::chrono::microseconds(100);
  Duration sync_cost_per_pod = std::chrono::microseconds(1);
};

/// The options of the controller that is number `index` of the manager.
[[nodiscard]] ControllerOptions controller_options(const hosts::WorkloadControllersConfig& config,
                                                   std::uint32_t index,
                                                   std::uint32_t default_workers);

/// A controller that syncs one object at a time by its key: what nearly all of them are.
class SyncingController : public Controller {
 public:
  SyncingController(SharedInformers& informers, const ControllerOptions& options, std::string name,
                    WorkQueueOptions queue = {});

  void start(Context& context) override;
  bool receive(Context& context, const Delivery& delivery) override;

 protected:
  /// Looks at the object and calls finish() when all that it wants is done, perhaps many messages
  /// later.
  virtual void sync(Context& context, const std::string& key) = 0;

  void enqueue(Context& context, const std::string& key);
  void enqueue_after(Context& context, const std::string& key, Duration delay);
  /// The sync is over; after a failure the key comes again with a growing delay.
  void finish(Context& context, const std::string& key, bool ok = true);
  /// Takes the time that deciding takes, then carries the decision out. `pods`: how many were
  /// looked at.
  void after_deciding(Context& context, std::int64_t pods, std::function<void(Context&)> act);
  void record(Context& context, const google::protobuf::Message& object, std::string type,
              std::string reason, std::string message);

  SharedInformers& informers_;
  ControllerOptions options_;
  ApiClient api_;
  EventRecorder events_;

 private:
  WorkQueue queue_;
  bool started_ = false;
  std::set<std::string> early_;  ///< keys that came before the caches were filled
};

}  // namespace troupe::workloads
