#include "emulator/checks/invariants.h"

#include <gtest/gtest.h>

#include "messages/facts.pb.h"
#include "tests/emulator/report/facts.h"

namespace troupe::checks {
namespace {

using test::assigned;
using test::tell;

InvariantOutcome outcome(const Invariants& invariants, const std::string& name) {
  return invariants.outcomes().at(name);
}

TEST(GpuNotShared, HoldsWhileSharesFitIntoTheGpu) {
  Invariants invariants;
  tell(invariants, 0, assigned("p", "a", {0, 1}));
  tell(invariants, 1, test::about<facts::DevicesReleased>("p"));
  tell(invariants, 2, assigned("q", "a", {0}, 500));
  tell(invariants, 2, assigned("r", "a", {0}, 500));
  EXPECT_EQ(outcome(invariants, "gpu-not-shared").checked, 4u);
  EXPECT_EQ(outcome(invariants, "gpu-not-shared").violations, 0u);
}

TEST(GpuNotShared, IsBrokenByASecondHolderOfAWholeGpu) {
  Invariants invariants;
  tell(invariants, 0, assigned("p", "a", {0}));
  tell(invariants, 1, assigned("q", "b", {0}));  // another node's
  EXPECT_EQ(outcome(invariants, "gpu-not-shared").violations, 0u);
  tell(invariants, 2, assigned("r", "a", {0}));
  EXPECT_EQ(outcome(invariants, "gpu-not-shared").violations, 1u);
  EXPECT_NE(outcome(invariants, "gpu-not-shared").first.find("a GPU 0: 2000 milli-GPU"),
            std::string::npos);
}

TEST(GpuNotShared, ACrashedNodeHasGivenNothingOut) {
  Invariants invariants;
  tell(invariants, 0, assigned("p", "a", {0}));
  facts::HostCrashed crash;
  crash.set_host("node/a");
  tell(invariants, 1, Payload::of(std::move(crash)));
  tell(invariants, 2, assigned("q", "a", {0}));
  EXPECT_EQ(outcome(invariants, "gpu-not-shared").violations, 0u);
}

TEST(BoundOnce, IsBrokenByASecondBinding) {
  Invariants invariants;
  tell(invariants, 0, test::about<facts::PodBound>("p"));
  tell(invariants, 0, test::about<facts::PodBound>("q"));
  EXPECT_EQ(outcome(invariants, "bound-once").violations, 0u);
  tell(invariants, 1, test::about<facts::PodBound>("p"));
  EXPECT_EQ(outcome(invariants, "bound-once").violations, 1u);
}

TEST(RequestEndsOnce, IsBrokenByASecondEndAndByAnEndWithoutABeginning) {
  Invariants invariants;
  facts::RequestIssued issued;
  issued.set_request(7);
  facts::RequestEnded ended;
  ended.set_request(7);
  tell(invariants, 0, Payload::of(issued));
  tell(invariants, 1, Payload::of(ended));
  EXPECT_EQ(outcome(invariants, "request-ends-once").violations, 0u);
  tell(invariants, 2, Payload::of(ended));
  ended.set_request(8);
  tell(invariants, 3, Payload::of(ended));
  EXPECT_EQ(outcome(invariants, "request-ends-once").checked, 3u);
  EXPECT_EQ(outcome(invariants, "request-ends-once").violations, 2u);
}

TEST(Invariants, EachHasANameAndASentence) {
  for (const InvariantRow& row : all_invariants()) {
    EXPECT_TRUE(is_invariant(row.name));
    EXPECT_EQ(row.sentence.back(), '.');
  }
  EXPECT_FALSE(is_invariant("no-such-promise"));
}

}  // namespace
}  // namespace troupe::checks
