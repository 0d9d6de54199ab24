// Creating many objects in batches of 1, 2, 4, ...: if the first cannot be created, the other 499
// need not be tried.
//
// The next batch begins when all of the last one have been answered; after a failure none does.
#pragma once

#include <algorithm>
#include <cstddef>

namespace troupe::workloads {

/// kubernetes/kubernetes, pkg/controller/controller_utils.go: SlowStartInitialBatchSize.
inline constexpr std::size_t kFirstBatch = 1;
/// pkg/controller/replicaset/replica_set.go: BurstReplicas; pkg/controller/job:
/// MaxPodCreateDeletePerSync. At most so many in one sync.
inline constexpr std::size_t kBurstReplicas = 500;

class SlowStart {
 public:
  explicit SlowStart(std::size_t total) : remaining_(total) {}

  /// How many to create now; 0: it is over.
  [[nodiscard]] std::size_t next_batch() {
    if (failed_) return 0;
    const std::size_t size = std::min(batch_, remaining_);
    remaining_ -= size;
    batch_ = size * 2;
    open_ = size;
    return size;
  }
  /// One of the batch was answered; true when all of it have been.
  [[nodiscard]] bool answered(bool ok) {
    failed_ |= !ok;
    return --open_ == 0;
  }
  [[nodiscard]] bool failed() const { return failed_; }
  /// Those that were never tried.
  [[nodiscard]] std::size_t skipped() const { return remaining_; }

 private:
  std::size_t batch_ = kFirstBatch;
  std::size_t remaining_;
  std::size_t open_ = 0;
  bool failed_ = false;
};

}  // namespace troupe::workloads
