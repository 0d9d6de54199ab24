// From a generator as a person writes it to the integers that the load actor computes with.
#pragma once

#include <string>

#include "emulator/config/problems.h"
#include "messages/load.pb.h"
#include "messages/scenario.pb.h"

namespace troupe::config {

[[nodiscard]] load::Generator plan_generator(const Generator& generator, const std::string& path,
                                             Problems& problems);
/// The mean that the distribution says or, for a log-normal, its median times e^(sigma^2 / 2) to a
/// percent.
[[nodiscard]] double mean_tokens(const Tokens& tokens);

}  // namespace troupe::config
