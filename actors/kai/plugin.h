// A plugin: opinions of one kind. It registers them with a session when that opens, and lives as
// long as the session.
#pragma once

#include <string_view>

#include "actors/kai/session.h"

namespace troupe::kai {

class Plugin {
 public:
  virtual ~Plugin() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  virtual void open(Session& session) = 0;
};

/// Scores are sums of these (KAI, plugins/scores), in millionths of KAI's points.
inline constexpr std::int64_t kScorePoint = 1'000'000;
inline constexpr std::int64_t kScoreBinpackMax = 9 * kScorePoint;
inline constexpr std::int64_t kScoreResourceType = 10 * kScorePoint;
inline constexpr std::int64_t kScoreAvailability = 100 * kScorePoint;
inline constexpr std::int64_t kScoreNominated = 1'000'000 * kScorePoint;

}  // namespace troupe::kai
