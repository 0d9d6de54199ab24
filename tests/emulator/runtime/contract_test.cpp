// Actors that break the contract fail loudly, and an exception is our defect, never a modelled
// crash.
#include <chrono>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/emulator/runtime/scripted.h"

namespace troupe::test {
namespace {

const SimTime kContractEnd = kTimeZero + std::chrono::seconds(10);

std::optional<Defect> run(Scripted::Start start, Scripted::Receive receive = {}) {
  Stage stage;
  stage.add("node/a", std::move(start), std::move(receive));
  return stage.runtime.run_until(kContractEnd);
}

TEST(Contract, ASendIntoThePastStopsTheRunAndNamesTheActor) {
  const auto defect =
      run([](Context& c) { c.send(address_of("node/b"), note(1), {.extra = Duration(-1)}); });
  ASSERT_TRUE(defect);
  EXPECT_EQ(defect->actor, "node/a");
  EXPECT_NE(defect->what.find("into the past"), std::string::npos) << defect->what;
}

TEST(Contract, ATimerInThePastStopsTheRun) {
  const auto defect = run([](Context& c) { c.set_timer(Duration(-1), note(1)); });
  ASSERT_TRUE(defect);
  EXPECT_NE(defect->what.find("timer in the past"), std::string::npos);
}

TEST(Contract, ASpawnOnAnotherHostStopsTheRun) {
  const auto defect = run([](Context& c) { c.spawn("node/b/child", scripted({})); });
  ASSERT_TRUE(defect);
  EXPECT_NE(defect->what.find("outside its own host"), std::string::npos);
}

TEST(Contract, AnExceptionNamesActorAndMessage) {
  const auto defect = run([](Context& c) { c.set_timer(Duration(5), note(1)); },
                          [](Context&, const Delivery&) { throw std::runtime_error("boom"); });
  ASSERT_TRUE(defect);
  EXPECT_EQ(defect->actor, "node/a");
  EXPECT_EQ(defect->message, "GpuAllocatable");
  EXPECT_EQ(defect->time, from_ns(5));
  EXPECT_EQ(defect->what, "boom");
}

TEST(Contract, NothingOfAHandlerThatThrewIsApplied) {
  Stage stage;
  int heard = 0;
  stage.add("node/a", [](Context& c) {
    c.send(address_of("node/b"), note(1), {});
    throw std::runtime_error("after the send");
  });
  stage.add("node/b", {}, [&](Context&, const Delivery&) { ++heard; });
  ASSERT_TRUE(stage.runtime.run_until(kContractEnd));
  EXPECT_EQ(heard, 0);
  EXPECT_EQ(stage.runtime.pending_events(), 1u) << "only the birth of node/b may be left";
}

TEST(Contract, TwoHostsOfOneNameAreADefect) {
  Stage stage;
  stage.add("node/a", {});
  stage.runtime.start_host("node/a", host_start("node/a", "node/a"), from_ns(1));
  const auto defect = stage.runtime.run_until(kContractEnd);
  ASSERT_TRUE(defect);
  EXPECT_NE(defect->what.find("alive already"), std::string::npos);
}

TEST(ContractDeathTest, AnActorThatReadsAClockEndsTheProgramWithItsName) {
  EXPECT_DEATH(run([](Context&) { (void)std::chrono::steady_clock::now(); }),
               "actor node/a called clock_gettime");
  EXPECT_DEATH(run([](Context&) { (void)std::chrono::system_clock::now(); }),
               "actor node/a called");
}

}  // namespace
}  // namespace troupe::test
