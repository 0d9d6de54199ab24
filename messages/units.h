// Numbers with units, as files carry them: "45s", "200Gbit", "80GiB", "12/s", "99%".
//
// A number without a unit is refused, since 30 may be seconds to one reader and milliseconds to
// another; only a bare 0 needs none. Everything is exact: what would have to be rounded or does not
// fit 64 bits is refused with a word. A space may stand between number and unit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "messages/result.h"
#include "messages/sim_time.h"

namespace troupe {

/// What probabilities are counted in: `probability_ppm`.
inline constexpr std::uint64_t kPerMillion = 1'000'000;

/// "45s", "1h30m", "250ms", "1.5s", "10us", "2d"; units ns us ms s m h d, never negative.
Result<Duration> parse_duration(std::string_view text);
/// The shortest exact text: "1h30m", "1.5s", "250ms".
[[nodiscard]] std::string print_duration(Duration duration);

/// Bits a second: "200Gbit", "25 Gbps", "2GB/s" (bytes).
Result<std::int64_t> parse_bandwidth(std::string_view text);
[[nodiscard]] std::string print_bandwidth(std::int64_t bits_per_second);

/// Bytes: "80GiB", "20GB", "512B", and Kubernetes' "80Gi".
Result<std::int64_t> parse_bytes(std::string_view text);
[[nodiscard]] std::string print_bytes(std::int64_t bytes);

/// Events a second: "12/s", "3/min", "0.5/h".
Result<double> parse_rate(std::string_view text);
[[nodiscard]] std::string print_rate(double per_second);

/// A share: "99%" is 0.99.
Result<double> parse_percent(std::string_view text);
[[nodiscard]] std::string print_percent(double share);

}  // namespace troupe
