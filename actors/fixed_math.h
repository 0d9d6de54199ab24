// log2, exp2, the normal quantile and the sine in integers.
//
// A model that calls libm gives other digits on another machine, and with them another run. These
// functions are table look-ups with linear interpolation; the tables are built at compile time from
// + - * / of IEEE doubles, which the standard fixes to the last bit. "Q32" means a signed 64-bit
// number with 32 fractional bits.
#pragma once

#include <cstdint>

namespace troupe::fixed {

inline constexpr std::int64_t kOneQ32 = std::int64_t{1} << 32;
/// ln 2.
inline constexpr std::int64_t kLn2Q32 = 2'977'044'472;
/// The 90th percentile of the standard normal distribution, 1.2815515655446004.
inline constexpr std::int64_t kNormalP90Q32 = 5'504'222'062;

/// a * b / 2^32, rounded down, without overflow in between.
[[nodiscard]] std::int64_t multiply_q32(std::int64_t a, std::int64_t b);
/// a * b / divisor, rounded down, without overflow in between. `divisor` is positive.
[[nodiscard]] std::int64_t multiply_divide(std::int64_t a, std::int64_t b, std::int64_t divisor);
/// The upper 64 bits of a * b.
[[nodiscard]] std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b);

/// log2(x) in Q32, for x of at least 1; off by at most 5e-8.
[[nodiscard]] std::int64_t log2_q32(std::uint64_t x);
/// 2^y rounded to the nearest integer, for a Q32 exponent; relative error at most 1e-7 before
/// rounding. At most 2^62.
[[nodiscard]] std::int64_t exp2_q32(std::int64_t y);
/// The z with P(Z < z) = (u + 1/2) / 2^64 for a standard normal Z, in Q32; |z| is at most 7.15. Off
/// by at most 6e-5.
[[nodiscard]] std::int64_t normal_quantile_q32(std::uint64_t u);
/// sin(2 pi phase / 2^32) in Q32; off by at most 2e-5.
[[nodiscard]] std::int64_t sine_q32(std::uint32_t phase);

}  // namespace troupe::fixed
