#include "actors/fixed_math.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "messages/assert.h"
#include "messages/int128.h"

namespace troupe::fixed {
namespace {

__extension__ using Uint128 = unsigned __int128;

// ---- compile-time functions: only + - * /, so that every compiler builds the same tables ----

constexpr double kLn2 = 0.693147180559945309417;
constexpr double kPi = 3.14159265358979323846;
constexpr double kInverseSqrt2Pi = 0.398942280401432677940;

constexpr std::int64_t rounded(double x) {
  return static_cast<std::int64_t>(x < 0 ? x - 0.5 : x + 0.5);
}

// ln x = 2 artanh((x-1)/(x+1)), for x in [1, 2].
constexpr double ln(double x) {
  const double y = (x - 1) / (x + 1);
  double term = y;
  double sum = 0;
  for (int n = 1; n < 60; n += 2) {
    sum += term / n;
    term *= y * y;
  }
  return 2 * sum;
}

// e^x by halving the argument until the Taylor series is short.
constexpr double exp(double x) {
  int halvings = 0;
  while (x < -0.5 || x > 0.5) {
    x /= 2;
    ++halvings;
  }
  double term = 1;
  double sum = 1;
  for (int n = 1; n < 18; ++n) {
    term *= x / n;
    sum += term;
  }
  for (; halvings > 0; --halvings) sum *= sum;
  return sum;
}

constexpr double sine(double x) {
  double term = x;
  double sum = x;
  for (int n = 1; n < 14; ++n) {
    term *= -x * x / ((2 * n) * (2 * n + 1));
    sum += term;
  }
  return sum;
}

constexpr double normal_density(double z) {
  return kInverseSqrt2Pi * exp(-z * z / 2);
}

// P(Z > z), z >= 0: the power series of the distribution function near 0, Laplace's continued
// fraction in the tail.
constexpr double normal_tail(double z) {
  if (z > 2.5) {
    double fraction = z;
    for (int n = 80; n > 0; --n) fraction = z + n / fraction;
    return normal_density(z) / fraction;
  }
  double term = z;
  double sum = z;
  for (int n = 3; n < 80; n += 2) {
    term *= z * z / n;
    sum += term;
  }
  return 0.5 - normal_density(z) * sum;
}

// ---- tables ----

constexpr int kLogBits = 11;
constexpr int kExpBits = 10;
constexpr int kExpOne = 40;  // fractional bits of kExp2's entries
constexpr int kOctaves = 40;
constexpr int kOctaveBits = 5;
constexpr int kOctaveSteps = 1 << kOctaveBits;
constexpr int kSineBits = 8;

// log2(1 + i / 2^11) in Q32.
constexpr auto kLog2 = [] {
  std::array<std::int64_t, (1 << kLogBits) + 1> table{};
  for (int i = 0; i <= 1 << kLogBits; ++i) {
    table[static_cast<std::size_t>(i)] =
        rounded(ln(1.0 + i / double{1 << kLogBits}) / kLn2 * double(kOneQ32));
  }
  return table;
}();

// 2^(i / 2^10) with kExpOne fractional bits.
constexpr auto kExp2 = [] {
  std::array<std::int64_t, (1 << kExpBits) + 1> table{};
  for (int i = 0; i <= 1 << kExpBits; ++i) {
    table[static_cast<std::size_t>(i)] =
        rounded(exp(i / double{1 << kExpBits} * kLn2) * double(std::int64_t{1} << kExpOne));
  }
  return table;
}();

// The upper normal quantile of p_j in Q32, with p falling from 1/2 by octaves of 32 equal steps:
// p = 2^-(o+2) (1 + i/32) at j = 32 o + 32 - i. Each entry is Newton's method from the one before;
// the tail is convex, so the iteration approaches from one side.
constexpr auto kNormal = [] {
  std::array<std::int64_t, kOctaves * kOctaveSteps + 1> table{};
  double z = 0;
  double octave = 0.25;
  for (int o = 0; o < kOctaves; ++o) {
    for (int i = kOctaveSteps - 1; i >= 0; --i) {
      const double p = octave * (1.0 + i / double{kOctaveSteps});
      for (int round = 0; round < 4; ++round) z += (normal_tail(z) - p) / normal_density(z);
      table[static_cast<std::size_t>(o * kOctaveSteps + kOctaveSteps - i)] =
          rounded(z * double(kOneQ32));
    }
    octave /= 2;
  }
  return table;
}();

// The first quarter of a sine wave in Q32.
constexpr auto kSine = [] {
  std::array<std::int64_t, (1 << kSineBits) + 1> table{};
  for (int i = 0; i <= 1 << kSineBits; ++i) {
    table[static_cast<std::size_t>(i)] =
        rounded(sine(kPi / 2 * i / double{1 << kSineBits}) * double(kOneQ32));
  }
  return table;
}();

// Between a (fraction 0) and b (fraction 2^bits).
constexpr std::int64_t interpolate(std::int64_t a, std::int64_t b, std::int64_t fraction,
                                   int bits) {
  return a + (((b - a) * fraction) >> bits);
}

// The 32 bits of `x` below its leading `skip` bits.
constexpr std::int64_t fraction_below(std::uint64_t x, int skip) {
  return static_cast<std::int64_t>((x << skip) >> 32);
}

}  // namespace

std::int64_t multiply_q32(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>((Int128{a} * b) >> 32);
}

std::int64_t multiply_divide(std::int64_t a, std::int64_t b, std::int64_t divisor) {
  TROUPE_ASSERT(divisor > 0, "the divisor must be positive");
  const Int128 product = Int128{a} * b;
  const Int128 quotient = product / divisor;
  return static_cast<std::int64_t>(product % divisor < 0 ? quotient - 1 : quotient);
}

std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((Uint128{a} * b) >> 64);
}

std::int64_t log2_q32(std::uint64_t x) {
  TROUPE_ASSERT(x > 0, "the logarithm of 0");
  const int zeros = std::countl_zero(x);
  const std::uint64_t mantissa = x << zeros;
  const std::size_t i = (mantissa >> (63 - kLogBits)) & ((1U << kLogBits) - 1);
  const std::int64_t fraction = fraction_below(mantissa, 1 + kLogBits);
  return (63 - zeros) * kOneQ32 + interpolate(kLog2[i], kLog2[i + 1], fraction, 32);
}

std::int64_t exp2_q32(std::int64_t y) {
  constexpr int kRest = 32 - kExpBits;
  const std::int64_t whole = y >> 32;
  if (whole >= 62) return std::int64_t{1} << 62;
  if (whole < -1) return 0;
  const std::size_t i = static_cast<std::uint64_t>(y) << 32 >> (64 - kExpBits);
  const std::int64_t rest = y & ((std::int64_t{1} << kRest) - 1);
  const std::int64_t value = interpolate(kExp2[i], kExp2[i + 1], rest, kRest);
  if (whole >= kExpOne) return value << (whole - kExpOne);
  const std::int64_t shift = kExpOne - whole;
  return (value + (std::int64_t{1} << (shift - 1))) >> shift;
}

std::int64_t normal_quantile_q32(std::uint64_t u) {
  const bool upper = u >> 63 != 0;
  const std::uint64_t p =
      std::max<std::uint64_t>(upper ? ~u : u, 1);  // the tail's share, below 2^63
  const int zeros = std::countl_zero(p);
  const int octave = zeros - 1;
  if (octave >= kOctaves) return upper ? kNormal.back() : -kNormal.back();
  const std::uint64_t mantissa = p << zeros;
  const auto i = static_cast<int>((mantissa >> (63 - kOctaveBits)) & (kOctaveSteps - 1));
  const auto j = static_cast<std::size_t>(octave * kOctaveSteps + kOctaveSteps - i);
  const std::int64_t fraction = fraction_below(mantissa, 1 + kOctaveBits);
  const std::int64_t z = interpolate(kNormal[j], kNormal[j - 1], fraction, 32);
  return upper ? z : -z;
}

std::int64_t sine_q32(std::uint32_t phase) {
  constexpr int kRest = 30 - kSineBits;
  constexpr std::uint32_t kQuarter = std::uint32_t{1} << 30;
  std::uint32_t within = phase & (kQuarter - 1);
  const std::uint32_t quarter = phase >> 30;
  if (quarter % 2 == 1) within = kQuarter - within;
  const std::size_t i = within >> kRest;
  const std::int64_t rest = within & ((1U << kRest) - 1);
  const std::int64_t next = kSine[std::min(i + 1, kSine.size() - 1)];
  const std::int64_t value = interpolate(kSine[i], next, rest, kRest);
  return quarter >= 2 ? -value : value;
}

}  // namespace troupe::fixed
