// "field op value": how an observed value is held against the expected one.
#pragma once

#include <optional>
#include <regex>
#include <string>

#include <nlohmann/json.hpp>

#include "messages/result.h"
#include "messages/scenario.pb.h"

namespace troupe::checks {

struct Comparison {
  std::string op;
  nlohmann::json value;
  double tolerance = 0;
  std::optional<std::regex> pattern;  ///< of `matches`

  /// Whether the observed value satisfies it. A missing value (null) equals only null.
  [[nodiscard]] bool holds(const nlohmann::json& observed) const;
  /// ">= 0.99".
  [[nodiscard]] std::string describe() const;
};

Result<Comparison> parse_comparison(const config::Expectation& expectation);

/// The value at "status.phase" or "spec.containers.0.image" (also "containers[0]"); null where
/// there is none.
[[nodiscard]] nlohmann::json value_at(const nlohmann::json& root, std::string_view path);

}  // namespace troupe::checks
