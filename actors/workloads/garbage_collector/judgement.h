// What becomes of an object, given what became of its owners.
//
// kubernetes/kubernetes, pkg/controller/garbagecollector/garbagecollector.go: attemptToDeleteItem.
#pragma once

#include <map>
#include <string>

#include "messages/k8s/meta.pb.h"

namespace troupe::workloads {

enum class OwnerState {
  Solid,     ///< it is there
  Dangling,  ///< it is not, or another object has its name
  Waiting,   ///< it is to go, once its dependents are gone
};

/// What else counts.
struct Surroundings {
  bool has_dependents = false;
  /// One of its dependents waits for the end of its own dependents: perhaps a circle.
  bool dependent_deletes_first = false;
};

struct Judgement {
  enum class What {
    Keep,
    DropOwners,  ///< it has an owner that is there: it stays, and no longer names those that go
    Unblock,     ///< nobody is to wait for it any more: that breaks a circle
    Delete,
  };
  What what = What::Keep;
  std::string propagation = {};  ///< of a deletion
};

/// `live`: the object's metadata as the store has it. `owners`: the state of each of its owners, by
/// uid.
[[nodiscard]] Judgement judge(const k8s::ObjectMeta& live,
                              const std::map<std::string, OwnerState>& owners,
                              const Surroundings& around);

}  // namespace troupe::workloads
