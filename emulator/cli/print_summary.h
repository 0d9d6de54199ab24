// A run's outcome as people read it on a terminal.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/runtime/virtual_runtime.h"
#include "messages/plan.pb.h"

namespace troupe::cli {

void print_summary(std::ostream& out, const nlohmann::json& summary);
/// The invariants that were violated and the expectations that failed: why the exit code is 1.
void print_failed_checks(std::ostream& out, const nlohmann::json& summary);
/// An actor of ours that failed: who, when, on what message, and the command that shows it again.
void print_defect(std::ostream& out, const Defect& defect, const std::string& replay);
/// What the score is reckoned against.
void print_score_rates(std::ostream& out, const plan::RunPlan& plan);

/// Rows of cells as a table whose columns are aligned; the first row is the head.
void print_table(std::ostream& out, const std::vector<std::vector<std::string>>& rows);
/// A number with so many decimals; "-" for null.
[[nodiscard]] std::string number(const nlohmann::json& value, int decimals);

}  // namespace troupe::cli
