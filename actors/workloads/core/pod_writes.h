// Creating and deleting many pods at once, as the controllers of kube-controller-manager do it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "actors/api_client/api_client.h"
#include "actors/workloads/core/pod_index.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::workloads {

struct PodWrites {
  /// After each answer: which of the pods, and what the API server said.
  std::function<void(Context&, std::size_t index, const ApiResult&)> each;
  /// When all is over: how many were not even tried, and the first refusal, if there was one.
  struct End {
    std::size_t skipped = 0;
    std::string error;
    [[nodiscard]] bool ok() const { return error.empty(); }
  };
  std::function<void(Context&, const End&)> done;
};

/// In slow-start batches, and no further after a refusal.
void create_pods(ApiClient& api, Context& context, std::vector<k8s::Pod> pods, PodWrites writes);
/// All at once. A pod that is gone already is no error.
void delete_pods(ApiClient& api, Context& context, std::vector<PodPtr> pods, PodWrites writes);

}  // namespace troupe::workloads
