// What a finished session amounts to, as the message that waits until the time that deciding took
// is over: the statements to be written, and what is to be said of the groups that were not placed.
#pragma once

#include "actors/kai/session.h"
#include "messages/schedulers.pb.h"

namespace troupe::kai {

[[nodiscard]] schedulers::KaiDecided decision_of(const Session& session);

/// "PodSchedulingErrors: Resources were not found for pod ...": how KAI sums up why a group is not
/// placed.
[[nodiscard]] std::string summary_of(const std::vector<JobFitError>& errors);

}  // namespace troupe::kai
