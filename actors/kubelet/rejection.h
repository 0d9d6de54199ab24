// Why a kubelet refuses a pod that was bound to its node.
#pragma once

#include <string>

namespace troupe::kubelet {

/// The pod ends as Failed with these; the scheduler does not try it again, its owner makes another
/// one.
struct Rejection {
  std::string reason;   ///< "UnexpectedAdmissionError", "OutOfcpu", "OutOfnvidia.com/gpu"
  std::string message;  ///< as kubelet words it

  friend bool operator==(const Rejection&, const Rejection&) = default;
};

}  // namespace troupe::kubelet
