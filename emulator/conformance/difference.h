// What came out otherwise than a case says.
#pragma once

#include <string>
#include <vector>

namespace troupe::conformance {

struct Difference {
  std::string what;  ///< "replicas", "round 2: binds", "expect[0]: state of job0"
  std::string observed;
  std::string expected;
};
using Differences = std::vector<Difference>;

/// "replicas: expected [5,11], observed [5,10]".
[[nodiscard]] inline std::string to_string(const Difference& difference) {
  return difference.what + ": expected " + difference.expected + ", observed " +
         difference.observed;
}

}  // namespace troupe::conformance
