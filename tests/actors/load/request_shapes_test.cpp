#include "actors/load/request_shapes.h"

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "actors/load/tokens.h"
#include "messages/assert.h"
#include "tests/actors/load/load_fixture.h"

namespace troupe::load {
namespace {

constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
constexpr std::uint64_t kMost = ~std::uint64_t{0};

Tokens tokens_of(Tokens::Shape shape, std::uint32_t a, std::uint32_t b) {
  Tokens tokens;
  tokens.set_shape(shape);
  tokens.set_a(a);
  tokens.set_b(b);
  return tokens;
}

Tokens empirical_of(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& points) {
  Tokens tokens;
  tokens.set_shape(Tokens::EMPIRICAL);
  for (const auto& [ppm, value] : points) {
    tokens.add_probability_ppm(ppm);
    tokens.add_quantile(value);
  }
  return tokens;
}

Generator generator_of(const Tokens& prompt, const Tokens& output) {
  Generator generator;
  *generator.mutable_lengths()->mutable_prompt() = prompt;
  *generator.mutable_lengths()->mutable_output() = output;
  return generator;
}

TEST(Tokens, UniformIncludesBothEnds) {
  const Tokens tokens = tokens_of(Tokens::UNIFORM, 10, 20);
  EXPECT_EQ(sample_tokens(tokens, 0), 10U);
  EXPECT_EQ(sample_tokens(tokens, kMost), 20U);
}

TEST(Tokens, LognormalHasItsMedianAndP90) {
  const Tokens tokens = tokens_of(Tokens::LOGNORMAL, 200, 800);
  EXPECT_EQ(sample_tokens(tokens, kHalf), 200U);
  EXPECT_NEAR(sample_tokens(tokens, kMost / 10 * 9), 800, 1);
  EXPECT_EQ(sample_tokens(tokens_of(Tokens::LOGNORMAL, 3, 3), kMost), 3U);
}

TEST(Tokens, EmpiricalIsLinearBetweenItsPoints) {
  const Tokens tokens = empirical_of({{0, 10}, {500'000, 20}, {500'000, 100}, {1'000'000, 200}});
  EXPECT_EQ(sample_tokens(tokens, 0), 10U);
  EXPECT_EQ(sample_tokens(tokens, kMost / 4), 14U);
  EXPECT_EQ(sample_tokens(tokens, kHalf + kHalf / 2), 150U);
  EXPECT_EQ(sample_tokens(tokens, kMost), 199U);
}

TEST(Tokens, EmpiricalNeedsAValueForEachProbability) {
  Tokens tokens = empirical_of({{0, 10}, {1'000'000, 20}});
  tokens.add_quantile(30);
  EXPECT_THROW(static_cast<void>(sample_tokens(tokens, 0)), ContractViolation);
}

TEST(Tokens, AreAtLeastOneAndWithinTheirLimits) {
  EXPECT_EQ(sample_tokens(Tokens{}, 0), 1U);
  Tokens tokens = tokens_of(Tokens::LOGNORMAL, 100, 10'000);
  tokens.set_minimum(50);
  tokens.set_maximum(4000);
  EXPECT_EQ(sample_tokens(tokens, 0), 50U);
  EXPECT_EQ(sample_tokens(tokens, kMost), 4000U);
}

TEST(RequestShapes, AreAFunctionOfTheirNumber) {
  const RequestShapes shapes(
      generator_of(tokens_of(Tokens::UNIFORM, 1, 1000), tokens_of(Tokens::UNIFORM, 1, 1000)),
      "load/a");
  const RequestShape late = shapes.at(1000, seeded_bits());
  static_cast<void>(shapes.at(3, seeded_bits()));
  EXPECT_EQ(shapes.at(1000, seeded_bits()).prompt_tokens, late.prompt_tokens);
  EXPECT_EQ(shapes.at(1000, seeded_bits()).output_tokens, late.output_tokens);
}

TEST(RequestShapes, OutputMayHangOnThePrompt) {
  Generator generator = generator_of(tokens_of(Tokens::UNIFORM, 1, 300), constant_tokens(3));
  for (const auto& [prompt_max, output] : {std::pair{100U, 1U}, std::pair{200U, 2U}}) {
    auto* given = generator.mutable_lengths()->add_output_given_prompt();
    given->set_prompt_max(prompt_max);
    *given->mutable_output() = constant_tokens(output);
  }
  const RequestShapes shapes(generator, "load/a");
  for (std::uint64_t n = 0; n < 300; ++n) {
    const RequestShape shape = shapes.at(n, seeded_bits());
    EXPECT_EQ(shape.output_tokens, (shape.prompt_tokens + 99) / 100) << shape.prompt_tokens;
  }
}

Generator with_prefixes(std::uint32_t count, std::uint32_t share_ppm,
                        const std::string& pool = "") {
  Generator generator = generator_of(constant_tokens(1000), constant_tokens(10));
  generator.mutable_prefixes()->set_count(count);
  generator.mutable_prefixes()->set_tokens(600);
  generator.mutable_prefixes()->set_share_ppm(share_ppm);
  generator.mutable_prefixes()->set_pool(pool);
  return generator;
}

// 10,000 requests, 60 % of them with one of 4 prefixes: each expected 1,500 times, standard
// deviation 36.
TEST(RequestShapes, PrefixesAreSharedAsOftenAsSaid) {
  const RequestShapes shapes(with_prefixes(4, 600'000), "load/a");
  std::map<std::uint64_t, int> uses;
  for (std::uint64_t n = 0; n < 10'000; ++n) {
    for (const auto& segment : shapes.at(n, seeded_bits()).segments) {
      EXPECT_EQ(segment.tokens(), 600U);
      ++uses[segment.content()];
    }
  }
  ASSERT_EQ(uses.size(), 4U);
  for (const auto& [content, count] : uses) {
    EXPECT_NE(content, 0U);
    EXPECT_NEAR(count, 1500, 180);
  }
}

TEST(RequestShapes, PrefixesAreNeverOrAlwaysThereAtTheEndsOfTheShare) {
  const RequestShapes never(with_prefixes(4, 0), "load/a");
  const RequestShapes always(with_prefixes(4, 1'000'000), "load/a");
  for (std::uint64_t n = 0; n < 100; ++n) {
    EXPECT_TRUE(never.at(n, seeded_bits()).segments.empty());
    EXPECT_EQ(always.at(n, seeded_bits()).segments.size(), 1U);
  }
}

TEST(RequestShapes, LoadsShareAPrefixOnlyThroughANamedPool) {
  const auto prefix = [](const Generator& generator, const char* owner) {
    return RequestShapes(generator, owner).at(0, seeded_bits()).segments.at(0).content();
  };
  EXPECT_NE(prefix(with_prefixes(1, 1'000'000), "load/a"),
            prefix(with_prefixes(1, 1'000'000), "load/b"));
  EXPECT_EQ(prefix(with_prefixes(1, 1'000'000, "docs"), "load/a"),
            prefix(with_prefixes(1, 1'000'000, "docs"), "load/b"));
}

TEST(RequestShapes, AShortPromptHoldsAsMuchOfThePrefixAsFits) {
  Generator generator = with_prefixes(1, 1'000'000);
  *generator.mutable_lengths()->mutable_prompt() = constant_tokens(100);
  const RequestShape shape = RequestShapes(generator, "load/a").at(0, seeded_bits());
  EXPECT_EQ(shape.segments.at(0).tokens(), 100U);
}

}  // namespace
}  // namespace troupe::load
