#include "emulator/live/live_runtime.h"

#include <gtest/gtest.h>

#include <thread>

#include "emulator/transport/event_codec.h"
#include "tests/emulator/runtime/scripted.h"

namespace troupe::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::note;
using test::number_in;

// Hosts that are scripts, run live; all that they did is kept.
class LiveRuntimeTest : public testing::Test {
 protected:
  void add(const std::string& path, test::Scripted::Start start,
           test::Scripted::Receive receive = {}) {
    registry_.add(path,
                  [start, receive](const Payload&) { return test::scripted(start, receive); });
    paths_.push_back(path);
  }

  void run(std::int64_t speed, Duration length) {
    begin(speed, length);
    while (runtime_->watermark() <= kTimeZero + length) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    runtime_->stop();
  }

  void begin(std::int64_t speed, Duration length) {
    LiveOptions options;
    options.end = kTimeZero + length;
    runtime_ = std::make_unique<LiveRuntime>(options, registry_, clock_, [this](HostOutput output) {
      const std::lock_guard lock(mutex_);
      defects_ += output.defects;
      for (auto& record : output.records) records_.push_back(std::move(record));
      for (auto& write : output.writes) writes_.push_back(std::move(write));
    });
    for (const std::string& path : paths_) inject(path, test::host_start(path, path));
    if (later_) inject("node/a", later_, kTimeZero + seconds(1));
    clock_.set(kTimeZero, speed * 1'000'000);
    runtime_->clock_changed();
  }

  void inject(const std::string& path, Payload what, SimTime at = kTimeZero) {
    runtime_->deliver({at, 0, EventClass::Fault, 0, 0, faults_++},
                      {address_of(path), {std::move(what), {}, 0, 0}});
  }

  HostRegistry registry_;
  std::vector<std::string> paths_;
  Payload later_;  ///< happens to node/a after a second
  LiveClock clock_;
  std::unique_ptr<LiveRuntime> runtime_;
  std::mutex mutex_;
  std::vector<inbox::Record> records_;
  std::vector<StateStore::Write> writes_;
  std::uint64_t defects_ = 0;
  std::uint64_t faults_ = 0;
};

TEST_F(LiveRuntimeTest, AMessageTakesItsLatencyAndIsStampedWhenItIsDelivered) {
  SimTime sent{};
  SimTime received{};
  add("node/a", [&sent](Context& context) {
    sent = context.now();
    context.send(address_of("node/b"), note(7), {.link = Link::Cloud});
  });
  add("node/b", {}, [&received](Context& context, const Delivery& delivery) {
    EXPECT_EQ(number_in(delivery), 7);
    received = context.now();
  });
  run(20, seconds(2));
  EXPECT_GE(received - sent, LatencyModel(1).minimum(Link::Cloud));
  EXPECT_EQ(runtime_->lateness()[static_cast<std::size_t>(Link::Cloud)].count(), 1u);
}

TEST_F(LiveRuntimeTest, AHostsStampsOnlyGrowAndNoneIsBeforeItsTime) {
  add(
      "node/a", [](Context& context) { context.set_timer(milliseconds(1), note(0)); },
      [](Context& context, const Delivery& delivery) {
        const int number = number_in(delivery);
        if (number >= 200) return;
        context.set_timer(milliseconds(number % 3), note(number + 1));
        context.send(context.self(), note(1'000), {});
      });
  run(50, seconds(5));
  std::int64_t last = -1;
  int deliveries = 0;
  for (const inbox::Record& record : records_) {
    if (!record.has_delivery()) continue;
    ++deliveries;
    const std::int64_t stamp = record.delivery().event().key().time_ns();
    EXPECT_GT(stamp, last);
    EXPECT_GE(stamp, record.delivery().due_ns());
    last = stamp;
  }
  EXPECT_GE(deliveries, 400);
}

TEST_F(LiveRuntimeTest, WhatAnActorPersistsIsHandedOutAndGivenBack) {
  std::atomic<int> restored{0};
  add(
      "node/a", [](Context& context) { context.persist("k", "v"); },
      [&restored](Context&, const Delivery& delivery) {
        if (const auto* what = delivery.as<runtime::Restored>()) restored += what->entries_size();
      });
  runtime::HostCrash crash;
  crash.set_restarts(true);
  crash.set_restart_after_ns(Duration(milliseconds(100)).count());
  later_ = Payload::of(std::move(crash));
  run(20, seconds(4));
  EXPECT_EQ(restored, 1);
  ASSERT_EQ(writes_.size(), 2u) << "each life persists anew";
  EXPECT_EQ(writes_[0].actor, "node/a");
  EXPECT_EQ(writes_[0].bytes, "v");
}

TEST_F(LiveRuntimeTest, AnExceptionIsADefectAndTheHostBeginsAgain) {
  std::atomic<int> starts{0};
  add(
      "node/a",
      [&starts](Context& context) {
        if (++starts == 1) context.set_timer(seconds(1), note(1));
      },
      [](Context&, const Delivery& delivery) {
        if (delivery.timer != 0) throw std::runtime_error("planted");
      });
  run(20, seconds(4));
  EXPECT_EQ(defects_, 1u);
  EXPECT_EQ(starts, 2);
}

TEST_F(LiveRuntimeTest, IsStoppedWhileItsHostsAreBusy) {
  for (const std::string path : {"node/a", "node/b", "node/c"}) {
    const Duration rest = Duration(1'000 * (1 + paths_.size()));
    add(
        path, [](Context& context) { context.set_timer(Duration(1), note(0)); },
        [rest](Context& context, const Delivery&) { context.set_timer(rest, note(0)); });
  }
  for (int round = 0; round < 20; ++round) {
    begin(1, seconds(3600));
    std::this_thread::sleep_for(milliseconds(5));
    runtime_->stop();
    const auto count = [this] {
      const std::lock_guard lock(mutex_);
      return records_.size();
    };
    const std::size_t handled = count();
    EXPECT_GT(handled, 0u);
    std::this_thread::sleep_for(milliseconds(1));
    EXPECT_EQ(count(), handled) << "nothing is delivered once it has been stopped";
  }
}

}  // namespace
}  // namespace troupe::live
