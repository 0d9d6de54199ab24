// Changes the taints of nodes, whoever else changes them at the same time.
//
// The first try goes by the cache. A conflict means that the cache was late, so each further one
// reads the node first. kubernetes/kubernetes, pkg/controller/util/node/controller_utils.go:
// SwapNodeControllerTaint, and pkg/controller/ controller_utils.go: AddOrUpdateTaintOnNode.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "actors/api_client/api_client.h"
#include "actors/workloads/node_lifecycle/node_taints.h"

namespace troupe::workloads {

class TaintWriter {
 public:
  /// pkg/controller/controller_utils.go: UpdateTaintBackoff, 5 tries, 100 ms between two of them.
  static constexpr int kTries = 5;
  static constexpr Duration kPause = std::chrono::milliseconds(100);

  /// `ok`: the taints are as they should be, or the node is gone.
  using Done = std::function<void(Context&, bool ok)>;

  explicit TaintWriter(ApiClient& api) : api_(api) {}

  /// `node`: as the cache has it.
  void write(Context& context, const k8s::Node& node, TaintChange change, Done done);

 private:
  struct Change {
    api::ObjectKey key;
    TaintChange taints;
    Done done;
    int tries = 0;
  };
  using ChangePtr = std::shared_ptr<Change>;

  void attempt(Context& context, const k8s::Node& node, const ChangePtr& change);
  void again(Context& context, const ChangePtr& change);

  ApiClient& api_;
};

}  // namespace troupe::workloads
