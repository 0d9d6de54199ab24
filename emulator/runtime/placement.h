// Which process runs which host: the same answer in every process of a run, from an address alone.
//
// Placement never changes a result. It decides what crosses a process, and so how far the processes
// can run on without hearing of each other.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "messages/plan.pb.h"

namespace troupe {

class Placement {
 public:
  /// Everything in one process.
  Placement() = default;
  /// `processes` is at least 1.
  Placement(const plan::PlacementPlan& plan, std::uint32_t processes);

  [[nodiscard]] std::uint32_t processes() const { return processes_; }
  /// The process of a host, by its hash (Address::host).
  [[nodiscard]] std::uint32_t process_of(std::uint64_t host) const;
  /// True if all hosts of that kind (host_kind) are in one process, those that are pinned apart.
  [[nodiscard]] bool keeps_together(std::uint16_t kind) const;

 private:
  std::uint32_t processes_ = 1;
  std::uint64_t shuffle_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> pins_;  ///< by host; looked up only
  std::unordered_set<std::uint16_t> together_;             ///< kinds of host; looked up only
};

}  // namespace troupe
