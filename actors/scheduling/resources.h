// Amounts of what placement reckons with, in integers: what a pod asks for, what a node has, what
// is left of it.
//
// CPU, memory, GPUs and pod slots have fields of their own because every decision reads them; any
// other extended resource (RDMA devices, MIG slices) sits in a short sorted list that is empty for
// almost every pod.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/labels.h"

namespace troupe::scheduling {

inline constexpr std::string_view kGpuResource = "nvidia.com/gpu";

struct Resources {
  std::int64_t milli_cpu = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t ephemeral_bytes = 0;
  std::int64_t milli_gpu = 0;  ///< nvidia.com/gpu, in thousandths of a device
  std::int64_t pods = 0;
  std::vector<std::pair<std::string, std::int64_t>> others;  ///< sorted by name; no zero amounts

  Resources& operator+=(const Resources& more) { return add(more, 1); }
  Resources& operator-=(const Resources& less) { return add(less, -1); }
  friend bool operator==(const Resources&, const Resources&) = default;

  /// The amount in the unit of its field (thousandths for cpu and nvidia.com/gpu), 0 where there is
  /// none.
  [[nodiscard]] std::int64_t amount_of(std::string_view name) const;
  /// Adds to the resource of that name; `amount` in the unit of its field.
  void add_amount(std::string_view name, std::int64_t amount);
  /// The larger of both, resource by resource.
  void raise_to(const Resources& other);

 private:
  Resources& add(const Resources& other, int sign);
};

/// True if every amount of `wanted` is within `free`. What is not wanted at all fits even where
/// less than nothing is free.
[[nodiscard]] bool fits(const Resources& wanted, const Resources& free);

/// The amounts of a Kubernetes resource list. A quantity that is no number counts as 0: the API
/// server refuses those.
[[nodiscard]] Resources resources_of(const ResourceMap& list);

}  // namespace troupe::scheduling
