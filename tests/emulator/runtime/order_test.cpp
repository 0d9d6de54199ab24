// Order and time: what arrives when, and before what.
#include <vector>

#include <gtest/gtest.h>

#include "tests/emulator/runtime/scripted.h"

namespace troupe::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const SimTime kOrderEnd = kTimeZero + seconds(100);

TEST(Order, WithinAHostAMessageTakesNoTimeAndKeepsItsTurn) {
  Stage stage;
  std::vector<int> seen;
  std::vector<SimTime> when;
  stage.add("node/a", [&](Context& context) {
    const Address child =
        context.spawn("node/a/child", scripted({}, [&](Context& c, const Delivery& d) {
                        seen.push_back(number_in(d));
                        when.push_back(c.now());
                      }));
    for (int i = 0; i < 3; ++i) context.send(child, note(i), {});
  });
  EXPECT_FALSE(stage.runtime.run_until(kOrderEnd));
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(when, (std::vector<SimTime>(3, kTimeZero)));
}

TEST(Order, BetweenHostsAMessageTakesAtLeastItsLinksMinimum) {
  Stage stage;
  SimTime arrived{};
  stage.add("node/a",
            [](Context& c) { c.send(address_of("node/b"), note(1), {.link = Link::Api}); });
  stage.add("node/b", {}, [&](Context& c, const Delivery&) { arrived = c.now(); });
  stage.runtime.run_until(kOrderEnd);
  EXPECT_GE(arrived - kTimeZero, LatencyModel(1).minimum(Link::Api));
}

TEST(Order, AWatchStreamKeepsItsOrderThoughEachEventHasItsOwnLatency) {
  Stage stage;
  std::vector<int> fifo;
  std::vector<int> loose;
  stage.add("node/a", [](Context& c) {
    for (int i = 0; i < 200; ++i) {
      c.send(address_of("node/b"), note(i), {.link = Link::Watch, .stream = 7});
      c.send(address_of("node/c"), note(i), {.link = Link::Watch});
    }
  });
  stage.add("node/b", {}, [&](Context&, const Delivery& d) { fifo.push_back(number_in(d)); });
  stage.add("node/c", {}, [&](Context&, const Delivery& d) { loose.push_back(number_in(d)); });
  stage.runtime.run_until(kOrderEnd);
  ASSERT_EQ(fifo.size(), 200u);
  EXPECT_TRUE(std::is_sorted(fifo.begin(), fifo.end()));
  ASSERT_EQ(loose.size(), 200u);
  EXPECT_FALSE(std::is_sorted(loose.begin(), loose.end())) << "unordered messages never raced";
}

TEST(Order, ALatencyIsAFunctionOfTheMessagesNameAlone) {
  const auto arrival_of_second = [](bool with_first) {
    Stage stage;
    SimTime arrived{};
    stage.add("node/a", [with_first](Context& c) {
      if (with_first) c.send(address_of("node/b"), note(1), {.object = 1, .version = 1});
      c.send(address_of("node/b"), note(2), {.object = 2, .version = 5});
    });
    stage.add("node/b", {}, [&](Context& c, const Delivery& d) {
      if (number_in(d) == 2) arrived = c.now();
    });
    stage.runtime.run_until(kOrderEnd);
    return arrived;
  };
  EXPECT_EQ(arrival_of_second(true), arrival_of_second(false));
}

TEST(Timers, FireInOrderOnceAndNotWhenCancelled) {
  Stage stage;
  std::vector<int> fired;
  stage.add(
      "node/a",
      [](Context& c) {
        c.set_timer(seconds(2), note(2));
        c.set_timer(seconds(1), note(1));
        const TimerId doomed = c.set_timer(seconds(3), note(3));
        c.set_timer(Duration::zero(), note(0));
        c.cancel_timer(doomed);
        c.cancel_timer(doomed + 1000);
      },
      [&](Context&, const Delivery& d) {
        EXPECT_NE(d.timer, 0u);
        fired.push_back(number_in(d));
      });
  stage.runtime.run_until(kOrderEnd);
  EXPECT_EQ(fired, (std::vector<int>{0, 1, 2}));
}

TEST(Determinism, OneSeedGivesOneDigestAndAnotherSeedAnother) {
  const auto digest_of = [](std::uint64_t seed) {
    Stage stage({.seed = seed});
    stage.add("node/a", [](Context& c) {
      for (int i = 0; i < 50; ++i) c.send(address_of("node/b"), note(i), {});
    });
    stage.add("node/b", {}, [](Context& c, const Delivery& d) {
      if (c.random("reply", static_cast<std::uint64_t>(number_in(d))) % 2 == 0) {
        c.send(d.sender, d.payload, {});
      }
    });
    stage.runtime.run_until(kOrderEnd);
    return stage.runtime.digest().hex();
  };
  EXPECT_EQ(digest_of(1), digest_of(1));
  EXPECT_NE(digest_of(1), digest_of(2));
}

TEST(Determinism, TheDigestHoldsWhatAHandlerEmittedNotOnlyWhatItReceived) {
  const auto digest_of = [](int emitted) {
    Stage stage;
    stage.add("node/a", [emitted](Context& c) { c.emit(note(emitted)); });
    stage.runtime.run_until(kOrderEnd);
    return stage.runtime.digest().hex();
  };
  EXPECT_NE(digest_of(1), digest_of(2));
}

TEST(Determinism, ShuffledTiesChangeTheOrderOfEqualTimesAndNothingElse) {
  const auto order_of = [](bool shuffle) {
    RuntimeOptions options;
    options.shuffle_ties = shuffle;
    Stage stage(options);
    std::vector<int> order;
    stage.add(
        "node/a",
        [](Context& c) {
          for (int i = 0; i < 20; ++i) {
            const std::string path = "node/a/child" + std::to_string(i);
            c.spawn(path, scripted([i](Context& child) { child.set_timer(seconds(1), note(i)); },
                                   [](Context& child, const Delivery& d) {
                                     child.send(address_of("node/a"), d.payload, {});
                                   }));
          }
        },
        [&](Context&, const Delivery& d) { order.push_back(number_in(d)); });
    stage.runtime.run_until(kOrderEnd);
    return order;
  };
  std::vector<int> plain = order_of(false);
  std::vector<int> shuffled = order_of(true);
  EXPECT_NE(plain, shuffled);
  std::sort(plain.begin(), plain.end());
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(plain, shuffled);
}

}  // namespace
}  // namespace troupe::test
