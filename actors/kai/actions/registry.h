// All actions of a cycle, in order. To add one: its file pair, its test, one line here.
#pragma once

#include <memory>
#include <vector>

#include "actors/kai/action.h"

namespace troupe::kai {

[[nodiscard]] std::vector<std::unique_ptr<Action>> make_actions();

}  // namespace troupe::kai
