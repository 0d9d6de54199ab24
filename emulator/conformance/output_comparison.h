// A component's output against the expected one: only what the case writes down is compared, so a
// case says what it is about and no more.
#pragma once

#include "emulator/conformance/difference.h"
#include "emulator/manifests/json_tree.h"

namespace troupe::conformance {

/// Mappings are compared key by key, lists whole; fractions to a millionth.
[[nodiscard]] Differences compare_output(const manifests::JsonTree& expected,
                                         const manifests::JsonTree& observed);

}  // namespace troupe::conformance
