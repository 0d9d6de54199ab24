#include "actors/workloads/core/expectations.h"

#include <utility>

namespace troupe::workloads {

void Expectations::expect_creations(const std::string& key, std::int64_t count, SimTime now) {
  pending_[key] = {count, {}, now};
}

void Expectations::expect_deletions(const std::string& key, std::set<std::string> uids,
                                    SimTime now) {
  pending_[key] = {0, std::move(uids), now};
}

void Expectations::creation_observed(const std::string& key) {
  const auto at = pending_.find(key);
  if (at != pending_.end()) --at->second.creations;
}

void Expectations::deletion_observed(const std::string& key, const std::string& uid) {
  const auto at = pending_.find(key);
  if (at != pending_.end()) at->second.deletions.erase(uid);
}

bool Expectations::satisfied(const std::string& key, SimTime now) const {
  const auto at = pending_.find(key);
  if (at == pending_.end()) return true;
  const bool fulfilled = at->second.creations <= 0 && at->second.deletions.empty();
  return fulfilled || now - at->second.since > kTimeout;
}

}  // namespace troupe::workloads
