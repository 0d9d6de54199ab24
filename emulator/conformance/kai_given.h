// From the short form of a case's `given` to what a session of KAI starts from.
//
// The form is that of KAI's own tables, and so are its defaults: a node has 20 CPU, 20 GB and room
// for 110 pods; a task asks for 1 CPU and 1 GB; queues are bounded in GPUs alone; what is listed
// earlier is older, and a job of a higher class is older than any of a lower one.
#pragma once

#include <string>
#include <vector>

#include "actors/kai/job.h"
#include "actors/kai/queue_info.h"
#include "actors/scheduling/cluster_cache.h"
#include "messages/conformance.pb.h"

namespace troupe::conformance {

/// The moment that a given state shows, late enough for ages to count back from it.
inline constexpr SimTime kGivenTime = kTimeZero + std::chrono::hours(24 * 365);

/// The queue above all others where no department is listed.
inline constexpr const char* kDefaultDepartment = "default";

/// The names of the nodes that an entry stands for.
[[nodiscard]] std::vector<std::string> names_of(const config::Given::Node& node);
/// A job's tasks one by one.
[[nodiscard]] std::vector<config::Given::Task> tasks_of(const config::Given::Job& job);
/// Of the states in which a task has a node.
[[nodiscard]] bool has_place(const std::string& state);

void add_nodes(const config::Given& given, scheduling::ClusterCache& cache);
[[nodiscard]] std::vector<kai::QueueSettings> queues_of(const config::Given& given);
/// In the order in which the case lists them.
[[nodiscard]] std::vector<kai::JobSettings> jobs_of(const config::Given& given,
                                                    scheduling::LabelClasses& classes);

}  // namespace troupe::conformance
