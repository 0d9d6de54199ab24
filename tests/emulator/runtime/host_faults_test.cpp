// What befalls hosts by message, and what the director is told.
#include <gtest/gtest.h>

#include "messages/fault.pb.h"
#include "tests/emulator/runtime/scripted.h"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(HostFaults, ACrashThatCameAsAMessageEndsTheHostAndBeginsItAgain) {
  test::Stage stage;
  int lives = 0;
  stage.add("node/a", [&lives](Context&) { ++lives; });
  fault::CrashHost crash;
  crash.set_restarts(true);
  crash.set_restart_after_ns(1'000'000'000);
  stage.runtime.inject(address_of("node/a"), Payload::of(crash), from_ns(0) + seconds(1));
  EXPECT_FALSE(stage.runtime.run_until(from_ns(0) + milliseconds(1500)));
  EXPECT_EQ(stage.runtime.live_actors(), 0u);
  EXPECT_FALSE(stage.runtime.run_until(from_ns(0) + seconds(3)));
  EXPECT_EQ(lives, 2);
}

TEST(HostFaults, ASkewedClockChangesWhatTheHostReadsAndNotWhenItsTimersFire) {
  test::Stage stage;
  std::vector<SimTime> read;
  stage.add(
      "node/a",
      [](Context& context) {
        context.set_timer(seconds(1), test::note(1));
        context.set_timer(seconds(3), test::note(2));
      },
      [&read](Context& context, const Delivery&) { read.push_back(context.now()); });
  fault::SkewClock skew;
  skew.set_offset_ns(60'000'000'000);
  stage.runtime.inject(address_of("node/a"), Payload::of(skew), from_ns(0) + seconds(2));
  EXPECT_FALSE(stage.runtime.run_until(from_ns(0) + seconds(4)));
  EXPECT_EQ(read, (std::vector<SimTime>{from_ns(0) + seconds(1), from_ns(0) + seconds(63)}));
}

TEST(HostFaults, TheDirectorHearsOfWatchedFactsOverALinkOfFixedLatency) {
  RuntimeOptions options;
  options.faults.ears = {{address_of("controller/director/0"), {test::note(0).kind()}}};
  test::Stage stage(options);
  std::vector<std::pair<int, SimTime>> heard;
  stage.add("controller/director/0", {}, [&heard](Context& context, const Delivery& delivery) {
    heard.emplace_back(test::number_in(delivery), context.now());
  });
  stage.add("node/a", [](Context& context) {
    context.emit(test::note(5));
    context.emit(Payload::of(facts::NodeReady{}));
  });
  EXPECT_FALSE(stage.runtime.run_until(from_ns(0) + seconds(1)));
  EXPECT_EQ(heard, (std::vector<std::pair<int, SimTime>>{{5, from_ns(0) + milliseconds(1)}}));
}

TEST(HostFaults, AnUnwatchedFactCostsNothing) {
  const auto digest = [](bool watched) {
    RuntimeOptions options;
    if (watched)
      options.faults.ears = {
          {address_of("controller/director/0"), {Payload::of(facts::NodeReady{}).kind()}}};
    test::Stage stage(options);
    stage.add("node/a", [](Context& context) { context.emit(test::note(5)); });
    EXPECT_FALSE(stage.runtime.run_until(from_ns(0) + seconds(1)));
    return stage.runtime.digest().hex();
  };
  EXPECT_EQ(digest(true), digest(false));
}

}  // namespace
}  // namespace troupe
