// Birth, death, crash and restart.
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "tests/emulator/runtime/scripted.h"

namespace troupe::test {
namespace {

using std::chrono::seconds;

const SimTime kLifecycleEnd = kTimeZero + seconds(100);

TEST(Lifecycle, MailToAStoppedActorOfALiveHostComesBackRefused) {
  Stage stage;
  int refused = 0;
  stage.add("node/a", [](Context& c) { c.stop(c.spawn("node/a/child", scripted({}))); });
  stage.add(
      "node/b", [](Context& c) { c.set_timer(seconds(1), note(1)); },
      [&](Context& c, const Delivery& d) {
        if (d.timer != 0) c.send(address_of("node/a/child"), note(1), {});
        if (d.as<runtime::ConnectionRefused>() == nullptr) return;
        ++refused;
        EXPECT_EQ(d.sender, address_of("node/a/child"));
        EXPECT_EQ(d.payload.attachments().at(0).as<facts::GpuAllocatable>()->gpu(), 1u);
      });
  stage.runtime.run_until(kLifecycleEnd);
  EXPECT_EQ(refused, 1);
}

TEST(Lifecycle, MailToADeadHostVanishes) {
  Stage stage;
  int heard = 0;
  stage.add("node/a", {});
  stage.add(
      "node/b", [](Context& c) { c.set_timer(seconds(2), note(1)); },
      [&](Context& c, const Delivery& d) {
        if (d.timer != 0) {
          c.send(address_of("node/a"), note(1), {});
          c.send(address_of("node/never-born"), note(1), {});
        } else {
          ++heard;
        }
      });
  stage.runtime.crash_host("node/a", kTimeZero + seconds(1), std::nullopt);
  EXPECT_FALSE(stage.runtime.run_until(kLifecycleEnd));
  EXPECT_EQ(heard, 0);
}

TEST(Lifecycle, ARestartedHostGetsWhatItPersistedFirstAndNothingElseOfItsPast) {
  Stage stage;
  std::vector<std::string> heard;
  int memory = 0;
  stage.add(
      "controller/x/0",
      [&](Context& c) {
        memory = 0;
        c.persist("kept", "1");
        c.persist("erased", "2");
        c.set_timer(seconds(10), note(1));
      },
      [&](Context& c, const Delivery& d) {
        if (const auto* restored = d.as<runtime::Restored>()) {
          EXPECT_EQ(memory, 0);
          for (const auto& entry : restored->entries())
            heard.push_back(entry.key() + "=" + entry.value());
        } else if (d.timer != 0) {
          heard.push_back("timer at " + std::to_string(to_ns(c.now()) / 1'000'000'000));
          c.persist("erased", "");
        }
        memory = 1;
      });
  stage.runtime.crash_host("controller/x/0", kTimeZero + seconds(5), seconds(3));
  EXPECT_FALSE(stage.runtime.run_until(kLifecycleEnd));
  // The first life's timer at 10 s died with it; the second life began at 8 s.
  EXPECT_EQ(heard, (std::vector<std::string>{"erased=2", "kept=1", "timer at 18"}));
}

TEST(Lifecycle, ANewLifeIsAnotherActorToThoseWhoKnewTheOld) {
  Stage stage;
  Address first{};
  bool refused = false;
  int delivered = 0;
  stage.add(
      "node/a", [](Context& c) { c.send(address_of("node/b"), note(0), {}); },
      [&](Context&, const Delivery& d) {
        if (d.as<runtime::Restored>() == nullptr) ++delivered;
      });
  stage.add(
      "node/b", [](Context& c) { c.set_timer(seconds(20), note(9)); },
      [&](Context& c, const Delivery& d) {
        if (d.as<runtime::ConnectionRefused>() != nullptr) refused = true;
        if (d.timer == 0 && !first) first = d.sender;
        if (d.timer == 0) return;
        c.send(first, note(1), {});
        c.send(first.any(), note(2), {});
      });
  stage.runtime.crash_host("node/a", kTimeZero + seconds(1), seconds(1));
  stage.runtime.run_until(kLifecycleEnd);
  EXPECT_TRUE(refused);
  EXPECT_EQ(delivered, 1);
}

TEST(Lifecycle, AHostStopsForGood) {
  Stage stage;
  int delivered = 0;
  stage.add("node/a", {}, [&](Context&, const Delivery&) { ++delivered; });
  stage.add(
      "node/b",
      [](Context& c) {
        c.send(address_of("node/a"), Payload::of(runtime::HostStop{}), {});
        c.set_timer(seconds(1), note(1));
      },
      [](Context& c, const Delivery&) { c.send(address_of("node/a"), note(1), {}); });
  stage.runtime.crash_host("node/a", kTimeZero + seconds(3), seconds(1));
  EXPECT_FALSE(stage.runtime.run_until(kLifecycleEnd));
  EXPECT_EQ(delivered, 0);
  EXPECT_EQ(stage.runtime.live_actors(), 1u);
}

TEST(Lifecycle, AHostIsBornByAMessageWithItsConfiguration) {
  Stage stage;
  int configured = 0;
  stage.registry.add("node", [&](const Payload& start) {
    configured = static_cast<int>(start.attachments().at(0).as<facts::GpuAllocatable>()->gpu());
    return scripted({});
  });
  stage.add("cloud/0", [](Context& c) {
    runtime::HostStart start;
    start.set_kind("node");
    start.set_path("node/new");
    c.send(address_of("node/new"), Payload::of(start, {note(42)}), {.link = Link::Lifecycle});
  });
  EXPECT_FALSE(stage.runtime.run_until(kLifecycleEnd));
  EXPECT_EQ(configured, 42);
  EXPECT_EQ(stage.runtime.live_actors(), 2u);
}

}  // namespace
}  // namespace troupe::test
