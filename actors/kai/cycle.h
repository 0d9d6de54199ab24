// One scheduling cycle: a session is opened, the plugins register, the actions run.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "actors/kai/action.h"
#include "actors/kai/plugin.h"

namespace troupe::kai {

class Cycle {
 public:
  explicit Cycle(SessionInput input);

  /// Runs every action, or only the one of that name.
  void run(std::string_view only = {});
  [[nodiscard]] Session& session() { return session_; }

 private:
  Session session_;
  std::vector<std::unique_ptr<Plugin>> plugins_;
};

}  // namespace troupe::kai
