#include "actors/lessons/toy_actor.h"

#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include "messages/assert.h"
#include "messages/facts.pb.h"
#include "messages/runtime.pb.h"
#include "tests/actors/lessons/toy_fixture.h"
#include "tests/support/fake_context.h"

namespace troupe::lessons {
namespace {

using namespace std::chrono_literals;

struct Seen {
  std::size_t issued = 0;
  std::uint64_t completed = 0;
  std::uint64_t timed_out = 0;
};

Seen run(testing::FakeContext& context, const char* policy,
         std::chrono::milliseconds service_tick) {
  ToyConfig config = toy_config(policy, service_tick);
  add_shipped_arrivals(config);
  const auto actor = make_toy(Payload::of(runtime::HostStart{}, {Payload::of(std::move(config))}));
  actor->start(context);
  context.run_timers(*actor, 2h);
  Seen seen;
  seen.issued = context.facts_of<facts::RequestIssued>().size();
  for (const auto* ended : context.facts_of<facts::RequestEnded>()) {
    seen.completed += ended->outcome() == facts::RequestEnded::COMPLETED ? 1 : 0;
    seen.timed_out += ended->outcome() == facts::RequestEnded::TIMED_OUT ? 1 : 0;
  }
  return seen;
}

TEST(ToyActor, DropsAsTheTickingToyDoes) {
  testing::FakeContext context("lessons/toy");
  const Seen seen = run(context, "kai-gang", 15s);
  EXPECT_EQ(seen.issued, 743U);
  EXPECT_EQ(seen.timed_out, 61U);
  EXPECT_EQ(seen.completed, 682U);
}

TEST(ToyActor, CountsItsTimeFromItsOwnBeginning) {
  testing::FakeContext context("lessons/toy");
  context.set_now(from_ns(1'234'567));  // a host begins one lookahead after the run
  const Seen seen = run(context, "kai-gang", 15s);
  EXPECT_EQ(seen.timed_out, 61U);
}

TEST(ToyActor, SetsOneTimerAtATime) {
  testing::FakeContext context("lessons/toy");
  ToyConfig config = toy_config("queue-depth", 0s);
  config.add_arrivals_ns(ns_of(5s));
  ToyActor actor(std::make_shared<const ToyConfig>(std::move(config)));
  actor.start(context);
  int fired = 0;
  while (auto delivery = context.next_timer()) {
    EXPECT_TRUE(context.timers.empty());
    actor.receive(context, *delivery);
    ++fired;
  }
  EXPECT_GT(fired, 5);
  EXPECT_EQ(context.facts_of<facts::InstanceTerminated>().size(), 1U);
}

TEST(ToyActor, NamesItsReplicasAfterItsHost) {
  testing::FakeContext context("lessons/ticking");
  run(context, "duty-cycle", 15s);
  EXPECT_EQ(context.facts_of<facts::InstanceLaunched>().front()->node(), "ticking-1");
}

TEST(ToyActor, RefusesToStartWithoutAConfiguration) {
  EXPECT_THROW(static_cast<void>(make_toy(Payload::of(runtime::HostStart{}))), ContractViolation);
}

}  // namespace
}  // namespace troupe::lessons
