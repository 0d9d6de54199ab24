#include "emulator/runtime/digest.h"

#include <gtest/gtest.h>

namespace troupe {
namespace {

TEST(Digest, SumIsModuloTwoToThe128AndHasNoOrder) {
  const Digest a{~0ULL, 1};
  const Digest b{2, ~0ULL};
  Digest ab = a;
  ab += b;
  Digest ba = b;
  ba += a;
  EXPECT_EQ(ab, ba);
  EXPECT_EQ(ab, (Digest{1, 1}));  // carry from low into high; high wraps
  ab -= b;
  EXPECT_EQ(ab, a);
}

TEST(Digest, PrintsThirtyTwoHexDigits) {
  EXPECT_EQ((Digest{0x1, 0xab}).hex(), "00000000000000ab0000000000000001");
}

TEST(Chain, DependsOnEachWordAndOnTheirOrder) {
  const auto chain_of = [](std::vector<std::vector<std::uint64_t>> records) {
    Chain chain;
    for (auto& record : records) chain.fold(record);
    return chain.contribution("node/a", 1);
  };
  EXPECT_EQ(chain_of({{1, 2}, {3}}), chain_of({{1, 2}, {3}}));
  EXPECT_NE(chain_of({{1, 2}, {3}}), chain_of({{3}, {1, 2}}));
  EXPECT_NE(chain_of({{1, 2}}), chain_of({{1, 3}}));
}

TEST(Chain, ContributesDifferentlyForAnotherPathOrAnotherLife) {
  const Chain chain;
  EXPECT_NE(chain.contribution("node/a", 1), chain.contribution("node/b", 1));
  EXPECT_NE(chain.contribution("node/a", 1), chain.contribution("node/a", 2));
}

}  // namespace
}  // namespace troupe
