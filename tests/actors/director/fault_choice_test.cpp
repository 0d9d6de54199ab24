#include "actors/director/fault_choice.h"

#include <set>

#include <gtest/gtest.h>

#include "messages/facts.pb.h"
#include "messages/hash.h"

namespace troupe::director {
namespace {

std::vector<std::size_t> pick(std::size_t candidates, fault::Target::Mode mode,
                              std::uint32_t count = 0, std::uint64_t seed = 1) {
  fault::Target target;
  target.set_mode(mode);
  target.set_count(count);
  return choose(candidates, target, [seed](std::uint64_t i) { return mix(seed, i); });
}

TEST(FaultChoice, OfAllNoneIsLeftOut) {
  EXPECT_EQ(pick(3, fault::Target::ALL), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(pick(0, fault::Target::ONE).empty());
}

TEST(FaultChoice, OneIsAnyOfThem) {
  std::set<std::size_t> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto one = pick(4, fault::Target::ONE, 0, seed);
    ASSERT_EQ(one.size(), 1u);
    seen.insert(one.front());
  }
  EXPECT_EQ(seen.size(), 4u);
}

TEST(FaultChoice, AFixedNumberIsThatManyDifferentOnesOrAllThereAre) {
  const auto two = pick(5, fault::Target::FIXED, 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_LT(two[0], two[1]);
  EXPECT_EQ(pick(2, fault::Target::FIXED, 9).size(), 2u);
}

TEST(FaultChoice, ARandomNumberIsAtLeastOne) {
  std::set<std::size_t> sizes;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    sizes.insert(pick(3, fault::Target::RANDOM, 0, seed).size());
  }
  EXPECT_EQ(sizes, (std::set<std::size_t>{1, 2, 3}));
}

TEST(FaultCondition, FitsByNameAndByFields) {
  facts::PodBound bound;
  bound.set_name("web-0");
  bound.set_node("a");
  fault::Condition condition;
  condition.set_fact("PodBound");
  EXPECT_TRUE(is_met(condition, bound));
  EXPECT_FALSE(is_met(condition, facts::PodStarted{}));
  auto* match = condition.add_match();
  match->set_field("name");
  match->set_value("web-*");
  EXPECT_TRUE(is_met(condition, bound));
  match->set_value("api-*");
  EXPECT_FALSE(is_met(condition, bound));
}

TEST(FaultCondition, ReadsNumbersAndEnumerationsAsText) {
  facts::GpuFaulted faulted;
  faulted.set_gpu(3);
  EXPECT_EQ(field_of(faulted, "gpu"), "3");
  facts::WorkloadStage stage;
  stage.set_stage(facts::WorkloadStage::READY);
  EXPECT_EQ(field_of(stage, "stage"), "READY");
  EXPECT_EQ(field_of(stage, "nothing"), "");
}

}  // namespace
}  // namespace troupe::director
