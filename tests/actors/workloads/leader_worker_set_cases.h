// A LeaderWorkerSet to test with.
#pragma once

#include <string>

#include "messages/lws.pb.h"

namespace troupe::workloads::testing {

/// "default/llm": so many groups, of so many pods each.
inline lws::LeaderWorkerSet leader_worker_set(int replicas, int size) {
  lws::LeaderWorkerSet set;
  set.mutable_metadata()->set_namespace_("default");
  set.mutable_metadata()->set_name("llm");
  set.mutable_spec()->set_replicas(replicas);
  lws::LeaderWorkerTemplate& group = *set.mutable_spec()->mutable_leader_worker_template();
  group.set_size(size);
  k8s::Container& container = *group.mutable_worker_template()->mutable_spec()->add_containers();
  container.set_name("vllm");
  container.set_image("vllm:1");
  return set;
}

}  // namespace troupe::workloads::testing
