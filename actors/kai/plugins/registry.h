// All plugins of a session, in the order in which they are asked. To add one: its file pair, its
// test, one line here.
#pragma once

#include <memory>
#include <vector>

#include "actors/kai/plugin.h"

namespace troupe::kai {

[[nodiscard]] std::vector<std::unique_ptr<Plugin>> make_plugins();

}  // namespace troupe::kai
