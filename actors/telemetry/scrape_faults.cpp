#include "actors/telemetry/scrape_faults.h"

#include <algorithm>

#include "messages/glob.h"

namespace troupe::telemetry {

void ScrapeFaults::change(const fault::DisturbScrapes& disturb) {
  if (disturb.heal()) {
    active_.erase(disturb.id());
  } else {
    active_[disturb.id()] = disturb;
  }
}

bool ScrapeFaults::any(const std::string& target, bool freeze) const {
  return std::any_of(active_.begin(), active_.end(), [&](const auto& entry) {
    return entry.second.freeze() == freeze && matches_glob(entry.second.target(), target);
  });
}

bool ScrapeFaults::gap(const std::string& target) const {
  return any(target, false);
}

const ScrapeReply& ScrapeFaults::shown(const std::string& target, const ScrapeReply& reply) {
  if (!any(target, true)) {
    frozen_.erase(target);
    return reply;
  }
  return frozen_.try_emplace(target, reply).first->second;
}

}  // namespace troupe::telemetry
