// Variants side by side: those that meet the SLO ranked by cost, the others below by their share;
// then why they differ, in the runs' own numbers.
#pragma once

#include <ostream>

#include <nlohmann/json_fwd.hpp>

#include "messages/plan.pb.h"

namespace troupe::cli {

void print_comparison(std::ostream& out, const plan::RunPlan& plan,
                      const nlohmann::json& summaries);

}  // namespace troupe::cli
