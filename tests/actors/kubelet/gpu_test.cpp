#include "actors/kubelet/gpu.h"

#include <gtest/gtest.h>

#include "messages/facts.pb.h"
#include "tests/support/fake_context.h"

namespace troupe::kubelet {
namespace {

using std::chrono::seconds;
using testing::FakeContext;

template <class M>
M about(const std::string& uid) {
  M message;
  message.set_uid(uid);
  return message;
}

class GpuTest : public ::testing::Test {
 protected:
  template <class M>
  void send(M message) {
    gpu_.receive(context_, context_.deliver(Payload::of(std::move(message)), "node/n1"));
  }
  telemetry::GpuSample sample() {
    send(telemetry::GpuSampleRequest{});
    return *context_.last_sent<telemetry::GpuSample>().as<telemetry::GpuSample>();
  }
  void fail(std::uint32_t xid) {
    workload::FailGpu fault;
    fault.set_xid(xid);
    send(std::move(fault));
  }

  FakeContext context_{"node/n1/gpu/3"};
  GpuActor gpu_{{"n1", 3, "H100", 81'100}};
};

TEST_F(GpuTest, SetsNoTimer) {
  gpu_.start(context_);
  send(about<workload::GpuBusy>("a"));
  EXPECT_TRUE(context_.timers.empty());
}

TEST_F(GpuTest, CountsTheTimeInWhichAnyWorkRuns) {
  send(about<workload::GpuBusy>("a"));
  context_.advance(seconds(2));
  send(about<workload::GpuBusy>("b"));
  context_.advance(seconds(3));
  send(about<workload::GpuIdle>("a"));
  context_.advance(seconds(4));
  EXPECT_EQ(sample().busy_ns(), 9'000'000'000);  // b still runs
  send(about<workload::GpuIdle>("b"));
  context_.advance(seconds(5));
  EXPECT_EQ(sample().busy_ns(), 9'000'000'000);
}

TEST_F(GpuTest, IgnoresTheEndOfWorkThatDidNotRun) {
  send(about<workload::GpuIdle>("a"));
  context_.advance(seconds(1));
  EXPECT_EQ(sample().busy_ns(), 0);
}

TEST_F(GpuTest, AddsUpTheMemoryOfItsProcesses) {
  for (const auto& [uid, mib] : {std::pair{"a", 1000}, {"b", 500}, {"a", 2000}}) {
    auto memory = about<workload::GpuMemory>(uid);
    memory.set_used_mib(mib);
    send(std::move(memory));
  }
  EXPECT_EQ(sample().memory_used_mib(), 2500);
  EXPECT_EQ(sample().memory_total_mib(), 81'100);
}

TEST_F(GpuTest, ForgetsAPodThatLetGo) {
  auto attach = about<workload::AttachGpu>("a");
  attach.set_namespace_("default");
  attach.set_name("p");
  attach.set_container("main");
  send(std::move(attach));
  ASSERT_EQ(sample().holders_size(), 1);
  EXPECT_EQ(sample().holders(0).pod(), "p");
  send(about<workload::GpuBusy>("a"));
  context_.advance(seconds(1));
  send(about<workload::DetachGpu>("a"));
  context_.advance(seconds(1));
  EXPECT_EQ(sample().holders_size(), 0);
  EXPECT_EQ(sample().busy_ns(), 1'000'000'000);
}

TEST_F(GpuTest, HasANameThatItsPathAloneDecides) {
  const std::string uuid = sample().uuid();
  EXPECT_EQ(uuid.size(), 40u);
  EXPECT_TRUE(uuid.starts_with("GPU-"));
  EXPECT_EQ(sample().uuid(), uuid);
}

TEST_F(GpuTest, BecomesUnhealthyOnAnXidOfTheDevice) {
  fail(79);
  EXPECT_FALSE(sample().healthy());
  ASSERT_EQ(context_.facts_of<facts::GpuFaulted>().size(), 1u);
  EXPECT_EQ(context_.facts_of<facts::GpuFaulted>()[0]->reason(), "XID 79");
  const auto changes = context_.sent_of<workload::GpuHealthChanged>();
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0]->gpu(), 3u);
  EXPECT_FALSE(changes[0]->healthy());
  EXPECT_TRUE(changes[0]->kills_pods());
}

TEST_F(GpuTest, StaysHealthyOnAnXidOfTheApplication) {
  fail(31);
  EXPECT_TRUE(sample().healthy());
  EXPECT_TRUE(context_.facts_of<facts::GpuFaulted>().empty());
  EXPECT_TRUE(context_.sent_of<workload::GpuHealthChanged>()[0]->kills_pods());
}

TEST_F(GpuTest, IsAllocatableAgainAfterARepair) {
  fail(79);
  send(workload::RepairGpu{});
  EXPECT_TRUE(sample().healthy());
  EXPECT_EQ(context_.facts_of<facts::GpuRecovered>().size(), 1u);
  EXPECT_TRUE(context_.sent_of<workload::GpuHealthChanged>()[1]->healthy());
}

TEST_F(GpuTest, FailsOnce) {
  fail(79);
  fail(48);
  EXPECT_EQ(context_.facts_of<facts::GpuFaulted>().size(), 1u);
}

}  // namespace
}  // namespace troupe::kubelet
