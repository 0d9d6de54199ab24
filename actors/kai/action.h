// An action: what a session attempts. Actions run one after the other on the same session, the
// least disruptive first.
#pragma once

#include <string_view>

#include "actors/kai/session.h"

namespace troupe::kai {

class Action {
 public:
  virtual ~Action() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  virtual void run(Session& session) = 0;
};

}  // namespace troupe::kai
