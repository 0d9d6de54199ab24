// The toy seen through the report that every run has: its dropped requests are timed out, its idle
// time is ready time.
#include <chrono>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "actors/lessons/toy_actor.h"
#include "emulator/report/summary.h"
#include "tests/actors/lessons/toy_fixture.h"
#include "tests/support/fake_context.h"

namespace troupe::lessons {
namespace {

using namespace std::chrono_literals;

// Runs the toy to its end and hands its facts to the report as they happen.
void observe(Accounts& accounts, const std::string& policy,
             std::chrono::milliseconds service_tick) {
  ToyConfig config = toy_config(policy, service_tick);
  add_shipped_arrivals(config);
  testing::FakeContext context("lessons/toy");
  ToyActor actor(std::make_shared<const ToyConfig>(std::move(config)));
  const auto report = [&] {
    for (const Payload& fact : context.facts) {
      OrderKey key;
      key.time = context.now();
      accounts.on_fact({key, context.path(), fact});
    }
    context.clear();
  };
  actor.start(context);
  report();
  while (auto delivery = context.next_timer()) {
    actor.receive(context, *delivery);
    report();
  }
  accounts.finish(context.now());
}

struct PolicyRow {
  const char* policy;
  std::chrono::milliseconds service_tick;
  std::uint64_t timed_out;
  double idle_minutes;
};

void PrintTo(const PolicyRow& row, std::ostream* out) {
  *out << row.policy << (row.service_tick == 0s ? ", event-driven" : ", 15 s ticks");
}

class ToyReportRow : public ::testing::TestWithParam<PolicyRow> {};

TEST_P(ToyReportRow, ShowsTheToysRow) {
  const PolicyRow& row = GetParam();
  Accounts accounts{plan::RunPlan{}};
  observe(accounts, row.policy, row.service_tick);
  EXPECT_EQ(accounts.requests.totals().total, 743U);
  EXPECT_EQ(accounts.requests.totals().timed_out, row.timed_out);
  EXPECT_EQ(accounts.requests.totals().completed, 743U - row.timed_out);
  const GpuTime idle = accounts.gpus.in(GpuClass::Ready) + accounts.gpus.in(GpuClass::Unallocated);
  EXPECT_NEAR(to_minutes(idle), row.idle_minutes, row.service_tick == 0s ? 0.5 : 0.051);
}

INSTANTIATE_TEST_SUITE_P(Toy, ToyReportRow,
                         ::testing::Values(PolicyRow{"duty-cycle", 15s, 1, 266.2},
                                           PolicyRow{"queue-depth", 15s, 64, 49.5},
                                           PolicyRow{"kai-gang", 15s, 61, 120.0},
                                           PolicyRow{"duty-cycle", 0s, 0, 87},
                                           PolicyRow{"queue-depth", 0s, 1, 65},
                                           PolicyRow{"kai-gang", 0s, 0, 86}));

TEST(ToyReport, ItsGpuTimeIsAPartition) {
  Accounts accounts{plan::RunPlan{}};
  observe(accounts, "kai-gang", 15s);
  GpuTime sum = 0;
  for (std::size_t i = 0; i < kGpuClassNames.size(); ++i)
    sum += accounts.gpus.in(static_cast<GpuClass>(i));
  EXPECT_EQ(sum, accounts.gpus.provisioned());
  EXPECT_GT(accounts.gpus.in(GpuClass::Booting), 0);
  EXPECT_GT(accounts.gpus.in(GpuClass::Loading), 0);
}

}  // namespace
}  // namespace troupe::lessons
