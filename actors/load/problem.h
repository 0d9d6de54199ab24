// What a load's configuration must be: for whoever makes one out of a user's file, to refuse it in
// time.
#pragma once

#include <optional>
#include <string>

#include "messages/load.pb.h"

namespace troupe::load {

/// What is wrong with `config`, or nothing. A LoadGenerator runs whatever passes.
[[nodiscard]] std::optional<std::string> problem_of(const LoadConfig& config);

}  // namespace troupe::load
