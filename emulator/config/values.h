// From the strings with units that a file holds to the integers that actors compute with. The
// converter has checked each string's form, so only what an option demands beyond its form can
// still be wrong here.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/config/problems.h"
#include "messages/distribution.pb.h"
#include "messages/sim_time.h"
#include "messages/topology.pb.h"

namespace troupe::config {

[[nodiscard]] Duration duration_or(const std::string& text, Duration fallback);
[[nodiscard]] std::int64_t bytes_or(const std::string& text, std::int64_t fallback);
/// Millionths of one a second.
[[nodiscard]] std::int64_t micro_rate(const std::string& text);
/// Thousandths of the unit: "500m" is 500, "2" is 2000.
[[nodiscard]] std::int64_t milli_quantity_or(const std::string& text, std::int64_t fallback);
[[nodiscard]] std::int64_t whole_quantity_or(const std::string& text, std::int64_t fallback);

[[nodiscard]] Distribution constant(Duration value);
[[nodiscard]] Distribution lognormal(Duration median, Duration p90);
/// A `Time` of a file; adds a problem at `path` unless it says exactly one shape, in order.
[[nodiscard]] Distribution distribution(const Time& time, const std::string& path,
                                        Problems& problems);

}  // namespace troupe::config
