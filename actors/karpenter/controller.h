// One of the loops of the Karpenter process, and the common form of those that look at one object
// at a time.
//
// They share the manager (manager.h) and its caches, each has its own queue, and none survives a
// crash of the process: what they know they take from the caches, which list and watch fill anew.
// Only provisioning is work that takes time; one look at one object is little beside the calls
// around it and takes none.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "actors/api_client/work_queue.h"
#include "actors/context.h"

namespace troupe::karpenter {

class Controller {
 public:
  virtual ~Controller() = default;
  /// The caches are filled: begin.
  virtual void start(Context& context) = 0;
  /// Handles the delivery if it is this controller's.
  virtual bool receive(Context&, const Delivery&) { return false; }
};

/// How one look at an object ended.
struct Outcome {
  bool ok = true;                                ///< if not, it comes again with a growing delay
  std::optional<Duration> again = std::nullopt;  ///< when to look again though nothing changed
};

class KeyedController : public Controller {
 public:
  explicit KeyedController(const WorkQueueOptions& options);

  void start(Context& context) override;
  bool receive(Context& context, const Delivery& delivery) override;

 protected:
  /// Looks at the object and calls finish() when all that it wants is done, perhaps many messages
  /// later.
  virtual void reconcile(Context& context, const std::string& key) = 0;

  /// Keys that come before start() wait for it.
  void enqueue(Context& context, const std::string& key);
  /// The same after a while, so that many changes are one look.
  void enqueue_after(Context& context, const std::string& key, Duration delay);
  void finish(Context& context, const std::string& key, const Outcome& outcome = {});

 private:
  WorkQueue queue_;
  bool started_ = false;
  std::set<std::string> early_;
};

}  // namespace troupe::karpenter
