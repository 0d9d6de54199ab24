// What a controller has asked for and not seen yet.
//
// A controller's cache is late. Counting its pods right after asking for three more, it would ask
// for three more again. So it remembers how many creations and which deletions it expects, and does
// nothing more about that object until the watch has shown them or five minutes have passed.
// kubernetes/kubernetes, pkg/controller/controller_utils.go: UIDTrackingControllerExpectations.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "messages/sim_time.h"

namespace troupe::workloads {

class Expectations {
 public:
  /// The same file: ExpectationsTimeout. What was not seen by then was missed.
  static constexpr Duration kTimeout = std::chrono::minutes(5);

  void expect_creations(const std::string& key, std::int64_t count, SimTime now);
  void expect_deletions(const std::string& key, std::set<std::string> uids, SimTime now);
  /// A creation was seen, or is known to have failed.
  void creation_observed(const std::string& key);
  void deletion_observed(const std::string& key, const std::string& uid);
  /// True if nothing is outstanding, or it has been for too long.
  [[nodiscard]] bool satisfied(const std::string& key, SimTime now) const;
  void forget(const std::string& key) { pending_.erase(key); }

 private:
  struct Pending {
    std::int64_t creations = 0;
    std::set<std::string> deletions;
    SimTime since = kTimeZero;
  };
  std::map<std::string, Pending> pending_;
};

}  // namespace troupe::workloads
