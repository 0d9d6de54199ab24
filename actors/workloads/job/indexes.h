// Sets of completion indexes in the form that a Job's status has: "0-2,5".
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "messages/k8s/pod.pb.h"

namespace troupe::workloads {

using Indexes = std::set<std::int32_t>;

/// Reads the form; what cannot be read is left out.
[[nodiscard]] Indexes parse_indexes(std::string_view text);
[[nodiscard]] std::string to_string(const Indexes& indexes);

inline constexpr std::string_view kIndexAnnotation = "batch.kubernetes.io/job-completion-index";
/// The completion index of a pod of an Indexed Job; -1 if it has none.
[[nodiscard]] std::int32_t index_of(const k8s::Pod& pod);

}  // namespace troupe::workloads
