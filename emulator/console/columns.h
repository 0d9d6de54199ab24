// What `get` prints of each kind of object: kubectl's columns, and for kinds of operators those of
// their CRDs or what a person looks for first.
#pragma once

#include "emulator/console/answer.h"
#include "emulator/console/cluster_view.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/kinds.h"

namespace troupe::console {

/// What a cell may depend on beside its object.
struct Scene {
  const ClusterView& view;
  SimTime now{};
};

/// The titles behind NAME; `wide` adds those of -o wide.
[[nodiscard]] std::vector<std::string> titles_of(const Kind& kind, bool wide);
/// The cells behind the name.
[[nodiscard]] std::vector<std::string> cells_of(const Kind& kind,
                                                const google::protobuf::Message& object, bool wide,
                                                const Scene& scene);
/// kubectl's word for a pod's state: "Running", "CrashLoopBackOff", "Terminating".
[[nodiscard]] std::string pod_status(const google::protobuf::Message& pod);
/// "70/80%": what each metric of an autoscaler is, and what it shall be.
[[nodiscard]] std::string targets_text(const k8s::HorizontalPodAutoscaler& hpa);

}  // namespace troupe::console
