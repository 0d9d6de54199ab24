// Cron schedules of disruption budgets: five fields or a macro, in UTC.
//
// A day matches if the day of the month or the day of the week does, when both are restricted:
// Vixie cron's rule, which robfig/cron, Karpenter's parser, keeps.
#pragma once

#include <array>
#include <bitset>
#include <string_view>

#include "messages/result.h"
#include "messages/sim_time.h"

namespace troupe::karpenter {

class CronSchedule {
 public:
  /// "0 9 * * 1-5", "*/15 8-17 * jan-mar mon,fri", "@daily".
  static Result<CronSchedule> parse(std::string_view text);

  /// Whether the schedule hits in that minute.
  [[nodiscard]] bool hits(SimTime minute) const;
  /// Whether it hits within (now - window, now].
  [[nodiscard]] bool hit_within(Duration window, SimTime now) const;

 private:
  static constexpr std::size_t kFields = 5;
  static constexpr std::size_t kLargest = 60;
  using Field = std::bitset<kLargest>;

  std::array<Field, kFields>
      fields_;  ///< minute, hour, day of month, month, day of week (Sunday is 0)
  bool any_day_of_month_ = true;
  bool any_day_of_week_ = true;
};

}  // namespace troupe::karpenter
