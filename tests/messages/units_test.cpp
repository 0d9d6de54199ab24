#include "messages/units.h"

#include <gtest/gtest.h>

namespace troupe {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(Durations, ReadUnitsAndSums) {
  EXPECT_EQ(parse_duration("45s").value(), seconds(45));
  EXPECT_EQ(parse_duration("1h30m").value(), minutes(90));
  EXPECT_EQ(parse_duration("720h0m0s").value(), hours(720));
  EXPECT_EQ(parse_duration("250ms").value(), milliseconds(250));
  EXPECT_EQ(parse_duration("10us").value(), microseconds(10));
  EXPECT_EQ(parse_duration("10µs").value(), microseconds(10));
  EXPECT_EQ(parse_duration("5 us").value(), microseconds(5));
  EXPECT_EQ(parse_duration("7ns").value(), nanoseconds(7));
  EXPECT_EQ(parse_duration("1.5h").value(), minutes(90));
  EXPECT_EQ(parse_duration("0.1s").value(), milliseconds(100)) << "no detour through doubles";
  EXPECT_EQ(parse_duration("2d").value(), hours(48));
  EXPECT_EQ(parse_duration("0").value(), Duration::zero());
}

TEST(Durations, PrintWhatReadsBack) {
  for (const char* text :
       {"45s", "1h30m", "1.5s", "250ms", "1.5ms", "10us", "7ns", "1h0.000000001s", "48h", "0s"}) {
    const Result<Duration> duration = parse_duration(text);
    ASSERT_TRUE(duration) << text;
    EXPECT_EQ(print_duration(*duration), text);
  }
  EXPECT_EQ(print_duration(-seconds(2)), "-2s");
}

TEST(Durations, RefuseABareNumber) {
  const Result<Duration> duration = parse_duration("30");
  ASSERT_FALSE(duration);
  EXPECT_EQ(duration.error().message,
            "\"30\" has no unit: expected a duration such as \"45s\", \"1h30m\" or \"250ms\"");
}

TEST(Durations, RefuseNonsenseAndOverflow) {
  for (const char* text : {"", "s", "5 x", "5s3", "-5s", "1..5s", "5sec", "1h-1m", "999999999999h",
                           "0.1ns", "292y", "9999999999999999999s", "1e3s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Bandwidths, ReadBitsAndBytes) {
  EXPECT_EQ(parse_bandwidth("200Gbit").value(), 200'000'000'000);
  EXPECT_EQ(parse_bandwidth("200 Gbit/s").value(), 200'000'000'000);
  EXPECT_EQ(parse_bandwidth("2.5Gbps").value(), 2'500'000'000);
  EXPECT_EQ(parse_bandwidth("2GB/s").value(), 16'000'000'000);
  EXPECT_EQ(parse_bandwidth("1GiB/s").value(), 8'589'934'592);
  EXPECT_EQ(print_bandwidth(200'000'000'000), "200Gbit");
  EXPECT_EQ(print_bandwidth(2'500'000'000), "2500Mbit");
  EXPECT_EQ(parse_bandwidth(print_bandwidth(0)).value(), 0);
  for (const char* text : {"200", "200GB", "200Gb", "", "fast", "-1Gbit", "99999999Tbit"}) {
    EXPECT_FALSE(parse_bandwidth(text)) << text;
  }
}

TEST(Bytes, ReadDecimalAndBinaryMultiples) {
  EXPECT_EQ(parse_bytes("80GiB").value(), 80LL << 30);
  EXPECT_EQ(parse_bytes("80Gi").value(), 80LL << 30);
  EXPECT_EQ(parse_bytes("20GB").value(), 20'000'000'000);
  EXPECT_EQ(parse_bytes("1.5KiB").value(), 1536);
  EXPECT_EQ(print_bytes(80LL << 30), "80GiB");
  EXPECT_EQ(print_bytes(20'000'000'000), "20GB");
  EXPECT_EQ(print_bytes(1537), "1537B");
  for (const char* text : {"80", "80 G", "1.5B", "-1B", "99999999PiB", "GiB"})
    EXPECT_FALSE(parse_bytes(text)) << text;
}

TEST(Rates, ReadAnyPeriod) {
  EXPECT_DOUBLE_EQ(parse_rate("12/s").value(), 12.0);
  EXPECT_DOUBLE_EQ(parse_rate("3/min").value(), 0.05);
  EXPECT_DOUBLE_EQ(parse_rate("0.5/h").value(), 0.5 / 3600);
  EXPECT_EQ(print_rate(12.0), "12/s");
  EXPECT_EQ(print_rate(0.05), "3/min");
  EXPECT_DOUBLE_EQ(parse_rate(print_rate(0.123)).value(), 0.123);
  for (const char* text :
       {"12", "-1/s", "12/", "/s", "12/fortnight", "nan/s", "inf/s", "1e999/s"}) {
    EXPECT_FALSE(parse_rate(text)) << text;
  }
}

TEST(Percentages, AreShares) {
  EXPECT_EQ(parse_percent("99%").value(), 0.99);
  EXPECT_EQ(parse_percent("12.5 %").value(), 0.125);
  EXPECT_EQ(print_percent(0.07), "7%");
  EXPECT_EQ(print_percent(0.125), "12.5%");
  for (const char* text : {"99", "%", "-1%", "x%", "99%%"})
    EXPECT_FALSE(parse_percent(text)) << text;
}

}  // namespace
}  // namespace troupe
