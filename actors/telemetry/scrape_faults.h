// What befalls scrapes: no answer, or the same one again and again.
//
// A gap is what Prometheus sees of a target that it cannot scrape: `up` is 0 and every series ends.
// A frozen exporter is harder to notice: `up` stays 1, and the values are those of an earlier time
// under new timestamps.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "messages/fault.pb.h"
#include "messages/telemetry.pb.h"

namespace troupe::telemetry {

class ScrapeFaults {
 public:
  /// Begins or heals one.
  void change(const fault::DisturbScrapes& disturb);
  [[nodiscard]] bool gap(const std::string& target) const;
  /// What the target is taken to have said: the reply, or what it said when it froze.
  [[nodiscard]] const ScrapeReply& shown(const std::string& target, const ScrapeReply& reply);

 private:
  [[nodiscard]] bool any(const std::string& target, bool freeze) const;

  std::map<std::uint32_t, fault::DisturbScrapes> active_;  ///< by id
  std::map<std::string, ScrapeReply> frozen_;              ///< the first reply of a frozen target
};

}  // namespace troupe::telemetry
