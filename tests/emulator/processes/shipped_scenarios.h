// Every scenario that the project ships, as it is or, where it has variants, as each of them.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace troupe::test {

struct ShippedScenario {
  std::string file;
  std::string variant;
  friend void PrintTo(const ShippedScenario& one, std::ostream* out) {
    *out << one.file << " " << one.variant;
  }
};

/// Conformance cases, manifests and traces are none.
[[nodiscard]] std::vector<ShippedScenario> shipped_scenarios();

/// As the name of a test.
[[nodiscard]] std::string name_of(const testing::TestParamInfo<ShippedScenario>& info);

}  // namespace troupe::test
