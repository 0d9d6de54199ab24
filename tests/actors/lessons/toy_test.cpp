#include "actors/lessons/toy.h"

#include <chrono>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "messages/facts.pb.h"
#include "tests/actors/lessons/toy_fixture.h"

namespace troupe::lessons {
namespace {

using namespace std::chrono_literals;

struct Played {
  ToyTotals totals;
  std::vector<std::pair<Duration, Payload>> facts;
};

Played play(const ToyConfig& config) {
  Toy toy(config, "toy", 0);
  Played result;
  std::optional<Duration> now{0};
  while (now) {
    for (const Payload& fact : toy.advance(*now)) result.facts.emplace_back(*now, fact);
    now = toy.next(*now);
  }
  result.totals = toy.totals();
  return result;
}

ToyConfig shipped(const std::string& policy, std::chrono::milliseconds service_tick) {
  ToyConfig config = toy_config(policy, service_tick);
  add_shipped_arrivals(config);
  return config;
}

// One request at the second 0.
ToyConfig one_request(std::chrono::milliseconds service_tick) {
  ToyConfig config = toy_config("queue-depth", service_tick);
  config.add_arrivals_ns(0);
  return config;
}

double minutes(Duration time) {
  return std::chrono::duration<double, std::ratio<60>>(time).count();
}

struct Row {
  const char* policy;
  std::chrono::milliseconds service_tick;
  std::uint64_t dropped;
  double idle_minutes;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.policy << (row.service_tick == 0s ? ", event-driven" : ", 15 s ticks");
}

class ToyRow : public ::testing::TestWithParam<Row> {};

// With ticks: the three rows that the course prints, exact. Without: its figures are whole minutes.
TEST_P(ToyRow, ComesOutAsPublished) {
  const Row& row = GetParam();
  const ToyTotals totals = play(shipped(row.policy, row.service_tick)).totals;
  EXPECT_EQ(totals.dropped, row.dropped);
  EXPECT_EQ(totals.started + totals.dropped + totals.waiting, 743U);
  EXPECT_NEAR(minutes(totals.idle), row.idle_minutes, row.service_tick == 0s ? 0.5 : 0.051);
}

INSTANTIATE_TEST_SUITE_P(
    Toy, ToyRow,
    ::testing::Values(Row{"duty-cycle", 15s, 1, 266.2}, Row{"queue-depth", 15s, 64, 49.5},
                      Row{"kai-gang", 15s, 61, 120.0}, Row{"duty-cycle", 0s, 0, 87},
                      Row{"queue-depth", 0s, 1, 65}, Row{"kai-gang", 0s, 0, 86}));

TEST(Toy, IdleTimeWithTicksIsAWholeNumberOfTicks) {
  EXPECT_EQ(play(shipped("duty-cycle", 15s)).totals.idle, 15975s);
  EXPECT_EQ(play(shipped("queue-depth", 15s)).totals.idle, 2970s);
  EXPECT_EQ(play(shipped("kai-gang", 15s)).totals.idle, 7200s);
}

// GPU time between two kinds of fact of the same workload, folded as a report does.
Duration ready_time(const Played& result) {
  std::map<std::string, Duration> free_since;
  Duration ready{0};
  const auto stop = [&](const std::string& uid, Duration now) {
    const auto found = free_since.find(uid);
    if (found == free_since.end()) return;
    ready += now - found->second;
    free_since.erase(found);
  };
  for (const auto& [now, fact] : result.facts) {
    if (const auto* stage = fact.as<facts::WorkloadStage>()) {
      if (stage->stage() == facts::WorkloadStage::READY) free_since[stage->uid()] = now;
    }
    if (const auto* idle = fact.as<facts::WorkloadIdle>()) free_since[idle->uid()] = now;
    if (const auto* busy = fact.as<facts::WorkloadBusy>()) stop(busy->uid(), now);
    if (const auto* released = fact.as<facts::DevicesReleased>()) stop(released->uid(), now);
  }
  EXPECT_TRUE(free_since.empty()) << "a replica outlives the account";
  return ready;
}

TEST(Toy, ItsIdleTimeIsTheReadyTimeOfItsFacts) {
  for (const std::string policy : {"duty-cycle", "queue-depth", "kai-gang"}) {
    for (const auto tick : {0s, 1s, 15s}) {
      const Played result = play(shipped(policy, tick));
      EXPECT_EQ(ready_time(result), result.totals.idle) << policy << " " << tick.count();
    }
  }
}

TEST(Toy, EveryRequestIsIssuedOnceAndEndsAtMostOnce) {
  const Played result = play(shipped("queue-depth", 15s));
  std::map<std::uint64_t, int> issued;
  std::map<std::uint64_t, int> ended;
  std::uint64_t timed_out = 0;
  for (const auto& [now, fact] : result.facts) {
    if (const auto* one = fact.as<facts::RequestIssued>()) ++issued[one->request()];
    if (const auto* one = fact.as<facts::RequestEnded>()) {
      ++ended[one->request()];
      timed_out += one->outcome() == facts::RequestEnded::TIMED_OUT ? 1 : 0;
    }
  }
  EXPECT_EQ(issued.size(), 743U);
  EXPECT_EQ(ended.size(), 743U - result.totals.waiting);
  for (const auto& [id, times] : ended) EXPECT_EQ(times, 1) << id;
  EXPECT_EQ(timed_out, result.totals.dropped);
}

TEST(Toy, EveryLaunchedReplicaTerminates) {
  int alive = 0;
  for (const auto& [now, fact] : play(shipped("kai-gang", 0s)).facts) {
    alive += fact.as<facts::InstanceLaunched>() ? 1 : 0;
    alive -= fact.as<facts::InstanceTerminated>() ? 1 : 0;
  }
  EXPECT_EQ(alive, 0);
}

TEST(Toy, ATickKeepsItsReplicaBusyAfterTheService) {
  // From 0 to the loop's end at 60: busy 15 s with ticks of 15 s, 2.4 s without.
  EXPECT_EQ(play(one_request(15s)).totals.idle, 45s);
  EXPECT_EQ(play(one_request(0s)).totals.idle, 57600ms);
}

TEST(Toy, ReplicaIsReadyAfterBootAndLoad) {
  ToyConfig config = toy_config("queue-depth", 0s);
  for (int i = 0; i < 12; ++i)
    config.add_arrivals_ns(0);  // 11 wait behind the first: two more at the first look
  Duration launched{0};
  Duration ready{0};
  for (const auto& [now, fact] : play(config).facts) {
    if (const auto* one = fact.as<facts::InstanceLaunched>())
      launched = one->node() == "toy-2" ? now : launched;
    const auto* stage = fact.as<facts::WorkloadStage>();
    if (stage && stage->uid() == "toy-2" && stage->stage() == facts::WorkloadStage::READY)
      ready = now;
  }
  EXPECT_EQ(launched, 0s);
  EXPECT_EQ(ready, Duration{0})
      << "the loop ends 60 s after the last arrival, before the replica is there";
  config.add_arrivals_ns(ns_of(100s));
  for (const auto& [now, fact] : play(config).facts) {
    const auto* stage = fact.as<facts::WorkloadStage>();
    if (stage && stage->uid() == "toy-2" && stage->stage() == facts::WorkloadStage::READY)
      ready = now;
  }
  EXPECT_EQ(ready, 95s);
}

TEST(Toy, RefusesWhatItCannotRun) {
  EXPECT_FALSE(problem_of(one_request(15s)));
  const auto broken = [](auto change) {
    ToyConfig config = one_request(15s);
    change(config);
    return problem_of(config).has_value();
  };
  EXPECT_TRUE(broken([](ToyConfig& c) { c.set_policy("gang"); }));
  EXPECT_TRUE(broken([](ToyConfig& c) { c.set_loop_ns(0); }));
  EXPECT_TRUE(broken([](ToyConfig& c) { c.set_service_tick_ns(-1); }));
  EXPECT_TRUE(broken([](ToyConfig& c) { c.set_service_tick_ns(ns_of(4s)); }));
  EXPECT_TRUE(broken([](ToyConfig& c) { c.set_replicas_min(0); }));
  EXPECT_TRUE(broken([](ToyConfig& c) { c.set_replicas_max(0); }));
  EXPECT_TRUE(broken([](ToyConfig& c) { c.clear_arrivals_ns(); }));
  EXPECT_TRUE(broken([](ToyConfig& c) { c.set_arrivals_ns(0, -1); }));
  EXPECT_TRUE(broken([](ToyConfig& c) { c.add_arrivals_ns(-5); }));
}

}  // namespace
}  // namespace troupe::lessons
