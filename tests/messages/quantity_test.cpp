#include "messages/quantity.h"

#include <limits>

#include <gtest/gtest.h>

namespace troupe {
namespace {

Quantity parsed(std::string_view text) {
  const Result<Quantity> quantity = Quantity::parse(text);
  EXPECT_TRUE(quantity) << text;
  return quantity.value_or(Quantity{});
}

struct Printed {
  const char* text;
  const char* canonical;
};

// The canonical texts are those of apimachinery's resource.Quantity.
TEST(Quantity, PrintsTheCanonicalForm) {
  for (const auto& [text, canonical] : std::initializer_list<Printed>{
           {"0", "0"},           {"8", "8"},
           {"-1", "-1"},         {"+5", "5"},
           {"0.5", "500m"},      {".5", "500m"},
           {"5.", "5"},          {"1.5", "1500m"},
           {"500m", "500m"},     {"1000m", "1"},
           {"100000", "100k"},   {"1024", "1024"},
           {"1024Ki", "1Mi"},    {"1024Mi", "1Gi"},
           {"80Gi", "80Gi"},     {"1.5Gi", "1536Mi"},
           {"512Ki", "512Ki"},   {"0.5Ki", "512"},
           {"1Ki", "1Ki"},       {"1100Ki", "1100Ki"},
           {"0.3Ki", "307200m"}, {"2e3", "2e3"},
           {"2E3", "2e3"},       {"2e+3", "2e3"},
           {"25e-1", "2500e-3"}, {"1E", "1E"},
           {"1000000n", "1m"},   {"1500u", "1500u"},
           {"00080", "80"},      {"9223372036854775807", "9223372036854775807"},
       }) {
    EXPECT_EQ(parsed(text).to_string(), canonical) << text;
    EXPECT_EQ(parsed(canonical), parsed(text)) << text;
  }
}

TEST(Quantity, RoundsAwayFromZero) {
  EXPECT_EQ(parsed("0.1m").to_milli(), 1);
  EXPECT_EQ(parsed("1.5").to_whole(), 2);
  EXPECT_EQ(parsed("-1.5").to_whole(), -2);
  EXPECT_EQ(parsed("2").to_whole(), 2);
  EXPECT_EQ(parsed("0.0000000001").to_string(), "1n") << "nothing is finer than a billionth";
  EXPECT_EQ(parsed("1e-64").to_string(), "1e-9");
}

TEST(Quantity, SaturatesWhereThousandthsDoNotFit) {
  EXPECT_EQ(parsed("8E").to_milli(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parsed("-8E").to_milli(), std::numeric_limits<std::int64_t>::min());
}

TEST(Quantity, AddsAcrossFormsExactly) {
  EXPECT_EQ((parsed("1Gi") + parsed("1G")).to_whole(), 2'073'741'824);
  EXPECT_EQ((parsed("1Gi") + parsed("1Gi")).to_string(), "2Gi");
  EXPECT_EQ((parsed("100m") + parsed("200m")).to_string(), "300m");
  EXPECT_EQ((parsed("1") - parsed("1.5")).to_string(), "-500m");
  EXPECT_EQ((Quantity{} + parsed("2Gi")).to_string(), "2Gi") << "zero takes the other's form";
}

TEST(Quantity, ComparesByValue) {
  EXPECT_EQ(parsed("1024Mi"), parsed("1Gi"));
  EXPECT_EQ(parsed("1"), Quantity::milli(1000));
  EXPECT_LT(parsed("1G"), parsed("1Gi"));
  EXPECT_GT(parsed("-1"), parsed("-2"));
  EXPECT_EQ(Quantity::whole(2048, Quantity::Form::BinarySi).to_string(), "2Ki");
}

TEST(Quantity, RefusesWhatIsNone) {
  for (const char* text : {"", " ", "abc", "Gi", "-", ".", "1.2.3", "5x", "5 Gi", "80GiB", "1ee3",
                           "e3", "1e", "0x10", "1K", "--1", "NaN", "1e99999999999", "1Gi "}) {
    EXPECT_FALSE(Quantity::parse(text)) << text;
  }
  EXPECT_NE(Quantity::parse("80GiB").error().message.find("\"80GiB\" is not a quantity"),
            std::string::npos);
}

TEST(Quantity, RefusesWhatIsTooLarge) {
  for (const char* text : {"9223372036854775808", "10E", "8Ei", "1e30", "-9223372036854775808",
                           "99999999999999999999999999999999999999999999999999"}) {
    const Result<Quantity> quantity = Quantity::parse(text);
    ASSERT_FALSE(quantity) << text;
    EXPECT_NE(quantity.error().message.find("too large"), std::string::npos) << text;
  }
  EXPECT_TRUE(Quantity::parse("0e60"));
}

}  // namespace
}  // namespace troupe
