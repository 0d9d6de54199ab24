// Owners that are known not to exist: the thousand pods of a deleted ReplicaSet need not ask for it
// a thousand times.
#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>

namespace troupe::workloads {

class AbsentOwners {
 public:
  /// pkg/controller/garbagecollector: absentOwnerCache, NewReferenceCache(500).
  static constexpr std::size_t kRemembered = 500;

  void insert(const std::string& uid) {
    if (!uids_.insert(uid).second) return;
    order_.push_back(uid);
    if (order_.size() <= kRemembered) return;
    uids_.erase(order_.front());
    order_.pop_front();
  }
  [[nodiscard]] bool contains(const std::string& uid) const { return uids_.contains(uid); }

 private:
  std::set<std::string> uids_;
  std::deque<std::string> order_;  ///< oldest first
};

}  // namespace troupe::workloads
