// Cases C1 and C2: the window of the provisioner.
#include "actors/karpenter/provisioning/batcher.h"

#include <gtest/gtest.h>

#include "tests/actors/karpenter/fixtures.h"

namespace troupe::karpenter {
namespace {

using testing::at;
using namespace std::chrono_literals;

TEST(Batcher, TheSamePodDoesNotExtendTheWindow) {  // C1
  Batcher batcher(5s, 10s);
  batcher.trigger("a", at(0s));
  batcher.trigger("a", at(3s));
  EXPECT_EQ(batcher.closes_at(), at(5s));
}

TEST(Batcher, AnotherPodExtendsTheWindow) {  // C2
  Batcher batcher(5s, 10s);
  batcher.trigger("a", at(0s));
  batcher.trigger("b", at(3s));
  EXPECT_EQ(batcher.closes_at(), at(8s));
}

TEST(Batcher, TheWindowClosesAtItsGreatestLength) {  // C2
  Batcher batcher(1s, 10s);
  for (int i = 0; i < 12; ++i) batcher.trigger("pod-" + std::to_string(i), at(900ms * i));
  EXPECT_EQ(batcher.closes_at(), at(10s));
}

TEST(Batcher, ATriggerWhileBusyOpensTheNextWindowOnlyWhenTheLoopWaits) {
  Batcher batcher(1s, 10s);
  batcher.trigger("a", at(0s));
  batcher.close();
  batcher.trigger("b", at(2s));
  EXPECT_EQ(batcher.closes_at(), std::nullopt);
  batcher.wait(at(4s));
  EXPECT_EQ(batcher.closes_at(), at(5s));
}

TEST(Batcher, APodMayTriggerAgainAfterTheWindow) {
  Batcher batcher(1s, 10s);
  batcher.trigger("a", at(0s));
  batcher.close();
  batcher.wait(at(1s));
  EXPECT_EQ(batcher.closes_at(), std::nullopt);
  batcher.trigger("a", at(10s));
  EXPECT_EQ(batcher.closes_at(), at(11s));
}

}  // namespace
}  // namespace troupe::karpenter
