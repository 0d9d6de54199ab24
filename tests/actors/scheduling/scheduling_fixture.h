// A cache with nodes and pods in it, and its snapshot.
#pragma once

#include "actors/scheduling/cluster_cache.h"
#include "tests/support/cluster_objects.h"

namespace troupe::testing {

class SchedulingFixture {
 public:
  scheduling::PodPtr info(const PodBuilder& pod) {
    return scheduling::make_pod_info(pod.share(), cache.label_classes());
  }
  void add(const NodeBuilder& node) { cache.set_node(node.share()); }
  void add(const PodBuilder& pod) { cache.set_pod(info(pod)); }
  const scheduling::Snapshot& refresh() {
    cache.refresh(snapshot);
    return snapshot;
  }
  const scheduling::NodeInfo& node(const std::string& name) {
    refresh();
    return snapshot.nodes()[*snapshot.find(name)];
  }

  scheduling::ClusterCache cache;
  scheduling::Snapshot snapshot = cache.empty_snapshot();
};

}  // namespace troupe::testing
