#include "actors/serving/block_pool.h"

#include <gtest/gtest.h>

#include "messages/assert.h"
#include "messages/hash.h"

namespace troupe::serving {
namespace {

TEST(BlockPool, NeverGivesOutTheNullBlock) {
  BlockPool pool(4);
  EXPECT_EQ(pool.usable(), 3u);
  std::vector<BlockId> taken;
  pool.take(3, taken);
  EXPECT_EQ(taken, (std::vector<BlockId>{1, 2, 3}));
  EXPECT_EQ(pool.free_count(), 0u);
}

TEST(BlockPool, ReusesTheLeastRecentlyFreedBlockFirst) {
  BlockPool pool(4);
  std::vector<BlockId> taken;
  pool.take(3, taken);
  pool.release(2);
  pool.release(3);
  pool.release(1);
  std::vector<BlockId> again;
  pool.take(2, again);
  EXPECT_EQ(again, (std::vector<BlockId>{2, 3}));
}

TEST(BlockPool, PrefersBlocksThatWereNeverUsed) {
  BlockPool pool(4);
  std::vector<BlockId> taken;
  pool.take(1, taken);
  pool.release(1);
  std::vector<BlockId> again;
  pool.take(3, again);
  EXPECT_EQ(again, (std::vector<BlockId>{2, 3, 1}));
}

TEST(BlockPool, KeepsContentUntilTheBlockIsTakenAgain) {
  BlockPool pool(3);
  std::vector<BlockId> taken;
  pool.take(2, taken);
  pool.publish(1, 77);
  pool.release(1);
  pool.release(2);
  EXPECT_EQ(pool.find(77), 1u);
  pool.reference(1);  // a hit saves it from being reused
  EXPECT_EQ(pool.free_count(), 1u);
  std::vector<BlockId> again;
  pool.take(1, again);
  EXPECT_EQ(again, std::vector<BlockId>{2});
  EXPECT_EQ(pool.find(77), 1u);
  pool.release(1);
  pool.take(1, again);
  EXPECT_EQ(pool.find(77), kNoBlock);
}

TEST(BlockPool, FindsTheSecondCopyOfAContentWhenTheFirstIsGone) {
  BlockPool pool(4);
  std::vector<BlockId> taken;
  pool.take(3, taken);
  pool.publish(1, 5);
  pool.publish(2, 5);
  EXPECT_EQ(pool.find(5), 1u);
  pool.release(1);
  pool.take(1, taken);  // block 1, the only free one
  EXPECT_EQ(pool.find(5), 2u);
}

TEST(BlockPool, FindsEveryContentHoweverManyThereAre) {
  constexpr std::uint32_t kBlocks = 5000;
  BlockPool pool(kBlocks + 1);
  std::vector<BlockId> taken;
  pool.take(kBlocks, taken);
  const auto key_of = [](BlockId block) { return mix(block % (kBlocks / 2), 1) >> 1; };  // two each
  for (const BlockId block : taken) pool.publish(block, key_of(block));
  for (const BlockId block : taken) EXPECT_EQ(key_of(pool.find(key_of(block))), key_of(block));
  EXPECT_EQ(pool.find(key_of(1)), 1u);  // the first of its two
  for (BlockId block = 1; block <= kBlocks / 2; ++block) pool.release(block);
  std::vector<BlockId> again;
  pool.take(kBlocks / 2, again);
  EXPECT_EQ(pool.find(key_of(1)), 1u + kBlocks / 2);
}

TEST(BlockPool, CountsReferences) {
  BlockPool pool(2);
  std::vector<BlockId> taken;
  pool.take(1, taken);
  pool.reference(1);
  pool.release(1);
  EXPECT_EQ(pool.used(), 1u);
  pool.release(1);
  EXPECT_EQ(pool.used(), 0u);
  EXPECT_THROW(pool.release(1), ContractViolation);
}

TEST(BlockPool, RefusesToTakeMoreThanIsFree) {
  BlockPool pool(3);
  std::vector<BlockId> taken;
  EXPECT_THROW(pool.take(3, taken), ContractViolation);
}

TEST(ChainKeys, AreEqualWherePromptsAreEqualAndNowhereElse) {
  const std::vector<ContentRun> a = {{1, 48}, {2, 16}};
  const std::vector<ContentRun> b = {{1, 48}, {3, 16}};
  const std::vector<ContentRun> c = {{9, 16}, {1, 48}};
  const auto keys_a = chain_keys(a, 16);
  const auto keys_b = chain_keys(b, 16);
  const auto keys_c = chain_keys(c, 16);
  ASSERT_EQ(keys_a.size(), 4u);
  EXPECT_TRUE(std::equal(keys_a.begin(), keys_a.begin() + 3, keys_b.begin()));
  EXPECT_NE(keys_a[3], keys_b[3]);
  for (const BlockKey key : keys_c) EXPECT_EQ(std::ranges::count(keys_a, key), 0);
}

TEST(ChainKeys, EndAtUniqueContentAndAtTheLastFullBlock) {
  EXPECT_EQ(chain_keys(std::vector<ContentRun>{{1, 100}}, 16).size(), 6u);
  EXPECT_EQ(chain_keys(std::vector<ContentRun>{{1, 40}, {0, 100}}, 16).size(), 2u);
  EXPECT_TRUE(chain_keys(std::vector<ContentRun>{{0, 100}}, 16).empty());
}

TEST(ChainKeys, DependOnTheContentOfABlockThatTwoRunsShare) {
  const auto keys_a = chain_keys(std::vector<ContentRun>{{1, 20}, {2, 12}}, 16);
  const auto keys_b = chain_keys(std::vector<ContentRun>{{1, 20}, {3, 12}}, 16);
  EXPECT_EQ(keys_a[0], keys_b[0]);
  EXPECT_NE(keys_a[1], keys_b[1]);
}

}  // namespace
}  // namespace troupe::serving
