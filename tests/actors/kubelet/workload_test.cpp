// What runs in a pod: how it is chosen, what an engine is told, jobs, and what the summary API
// reports.

#include <gmock/gmock.h>

#include "messages/facts.pb.h"
#include "messages/telemetry.pb.h"
#include "tests/actors/kubelet/fake_engine.h"
#include "tests/actors/kubelet/node_harness.h"

namespace troupe::kubelet {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::SizeIs;

class WorkloadTest : public ::testing::Test {
 protected:
  WorkloadTest() {
    config_ = small_node();
    config_.set_disk_bandwidth_bytes_per_s(2'000'000'000);
    add_workloads(config_);
  }
  void start() {
    harness_.emplace(config_, KubeletPorts{.workloads = &engines_}, std::vector<Payload>{llama()});
    harness_->start();
  }
  telemetry::ContainerUsageReply usage() {
    harness_->tell("node/n1", telemetry::ContainerUsageRequest{});
    return *harness_->outbox<telemetry::ContainerUsageReply>().back();
  }

  hosts::NodeConfig config_;
  FakeEngines engines_;
  std::optional<NodeHarness> harness_;
};

TEST_F(WorkloadTest, TellsAnEngineWhereItRuns) {
  start();
  harness_->create(bound_pod("a").label("app", "llm").gpus(2).raw());
  harness_->run(seconds(1));
  ASSERT_THAT(engines_.made, SizeIs(1));
  const WorkloadSpec& spec = engines_.made[0];
  EXPECT_EQ(spec.serving.as<serving::ServingWorkload>()->name(), "llama");
  EXPECT_EQ(spec.placement.pod_uid(), "uid-a");
  EXPECT_EQ(spec.placement.node(), "n1");
  EXPECT_EQ(spec.placement.gpu_model(), "H100");
  EXPECT_THAT(spec.placement.gpu_paths(), ElementsAre("node/n1/gpu/0", "node/n1/gpu/1"));
  EXPECT_EQ(spec.placement.disk_bytes_per_second(), 2'000'000'000);
  EXPECT_FALSE(spec.loaded);
}

TEST_F(WorkloadTest, TellsAnEngineOfItsGroup) {
  start();
  harness_->create(bound_pod("w-0-1")
                       .label("app", "llm")
                       .label("leaderworkerset.sigs.k8s.io/worker-index", "1")
                       .annotation("leaderworkerset.sigs.k8s.io/size", "2")
                       .annotation("leaderworkerset.sigs.k8s.io/leader-name", "w-0")
                       .raw());
  harness_->run(seconds(1));
  const serving::ReplicaPlacement& placement = engines_.made.at(0).placement;
  EXPECT_EQ(placement.group_size(), 2u);
  EXPECT_EQ(placement.group_index(), 1u);
  EXPECT_EQ(placement.leader_pod(), "w-0");
}

TEST_F(WorkloadTest, CrashLoopsAnEngineWithoutItsDescription) {
  config_.mutable_workloads(0)->set_serving_profile("unknown");
  start();
  harness_->create(bound_pod("a").label("app", "llm").raw());
  harness_->run(seconds(5));
  EXPECT_EQ(harness_->pod("a").status().container_statuses(0).state().waiting().reason(),
            "CrashLoopBackOff");
}

TEST_F(WorkloadTest, AJobKeepsItsGpusBusyFromItsStart) {
  start();
  harness_->create(bound_pod("a").label("app", "train").gpus(1).raw());
  harness_->run(seconds(11));
  EXPECT_THAT(harness_->facts<facts::WorkloadBusy>(), SizeIs(1));
  harness_->tell("node/n1/gpu/0", telemetry::GpuSampleRequest{});
  const telemetry::GpuSample& sample = *harness_->outbox<telemetry::GpuSample>().back();
  EXPECT_EQ(sample.busy_ns(), 10'000'000'000);
  EXPECT_EQ(sample.memory_used_mib(), 81'100 * 75 / 100);
  ASSERT_EQ(sample.holders_size(), 1);
  EXPECT_EQ(sample.holders(0).pod(), "a");
}

TEST_F(WorkloadTest, AnEngineThatIsKilledLeavesItsGpuIdleAndEmpty) {
  start();
  k8s::Pod pod = bound_pod("a").label("app", "llm").gpus(1).raw();
  pod.mutable_spec()->set_restart_policy("Never");
  harness_->create(pod);
  harness_->run(seconds(1));
  workload::GpuBusy busy;
  busy.set_uid("uid-a");
  harness_->tell("node/n1/gpu/0", busy);
  workload::GpuMemory memory;
  memory.set_uid("uid-a");
  memory.set_used_mib(70'000);
  harness_->tell("node/n1/gpu/0", memory);
  harness_->run(seconds(3));
  workload::FailGpu fault;
  fault.set_xid(31);
  harness_->tell("node/n1/gpu/0", fault);
  harness_->run(seconds(3));
  harness_->tell("node/n1/gpu/0", telemetry::GpuSampleRequest{});
  const telemetry::GpuSample& sample = *harness_->outbox<telemetry::GpuSample>().back();
  EXPECT_EQ(sample.busy_ns(), 3'000'000'000);
  EXPECT_EQ(sample.memory_used_mib(), 0);
}

TEST_F(WorkloadTest, ReportsWhatRunningContainersHaveUsed) {
  start();
  harness_->create(bound_pod("b").cpu("2").memory("1Gi").raw());
  harness_->create(bound_pod("a").cpu("500m").raw());
  harness_->run(seconds(11));
  const telemetry::ContainerUsageReply reply = usage();
  ASSERT_EQ(reply.containers_size(), 2);
  EXPECT_EQ(reply.containers(0).pod(), "a");
  EXPECT_EQ(reply.containers(0).cpu_core_ns(), 5'000'000'000);
  EXPECT_EQ(reply.containers(1).cpu_core_ns(), 20'000'000'000);
  EXPECT_EQ(reply.containers(1).memory_working_set_bytes(), 1LL << 30);
}

TEST_F(WorkloadTest, CountsAContainersUseAtTheRateThatWasSet) {
  config_.mutable_workloads(0)->set_cpu_milli(1500);
  start();
  harness_->create(bound_pod("a").label("app", "llm").cpu("1").raw());
  harness_->run(seconds(3));  // two seconds of running
  workload::SetUsage set;
  set.set_uid("uid-a");
  set.set_cpu_milli(100);
  harness_->tell("node/n1", set);
  harness_->run(seconds(10));
  EXPECT_EQ(usage().containers(0).cpu_core_ns(), 3'000'000'000 + 1'000'000'000);
}

}  // namespace
}  // namespace troupe::kubelet
