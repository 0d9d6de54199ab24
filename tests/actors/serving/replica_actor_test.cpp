#include "actors/serving/replica_actor.h"

#include <gtest/gtest.h>

#include "tests/actors/serving/serving_cases.h"

namespace troupe::serving {
namespace {

using testing::FakeContext;
using testing::infer;
using testing::last_done;
using testing::small_placement;
using testing::small_replica;
using testing::small_workload;
using namespace std::chrono_literals;

class Replica : public ::testing::Test {
 protected:
  explicit Replica(bool loaded = false) : actor_(small_replica(loaded)) {
    context_.advance(1min);
    actor_->start(context_);
  }
  void tell(Payload what, std::string_view from = "router/r") {
    actor_->receive(context_, context_.deliver(std::move(what), from));
  }
  void run(Duration span) { context_.run_timers(*actor_, span); }
  bool probe() {
    workload::ProbeRequest request;
    request.set_probe_id(7);
    tell(Payload::of(std::move(request)), "node/a");
    return context_.last_sent<workload::ProbeReply>().as<workload::ProbeReply>()->success();
  }
  void terminate(Duration grace) {
    workload::Terminate message;
    message.set_grace_ns(grace.count());
    tell(Payload::of(std::move(message)), "node/a");
  }
  const workload::Exited* exited() {
    const auto all = context_.sent_of<workload::Exited>();
    return all.empty() ? nullptr : all.back();
  }
  std::vector<int> stages() {
    std::vector<int> result;
    for (const auto* fact : context_.facts_of<facts::WorkloadStage>())
      result.push_back(fact->stage());
    return result;
  }

  FakeContext context_{testing::kPodPath};
  std::unique_ptr<Actor> actor_;
};

class LoadedReplica : public Replica {
 protected:
  LoadedReplica() : Replica(true) {}
};

TEST_F(Replica, IsReadyOnlyWhenWeightsAndEngineAreLoaded) {
  EXPECT_FALSE(probe());
  run(10s - 1ns);
  EXPECT_EQ(stages(), (std::vector<int>{facts::WorkloadStage::WEIGHTS}));
  run(1ns);
  EXPECT_EQ(stages().back(), facts::WorkloadStage::ENGINE_INIT);
  EXPECT_FALSE(probe());
  run(1s);
  EXPECT_EQ(stages().back(), facts::WorkloadStage::READY);
  EXPECT_TRUE(probe());
}

TEST_F(Replica, RefusesConnectionsWhileItLoads) {
  tell(infer(1, 10, 10));
  const Payload refused = context_.last_sent<runtime::ConnectionRefused>();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused.attachments()[0].as<InferRequest>()->request_id(), 1u);
  tell(Payload::of(telemetry::ScrapeRequest{}), "telemetry/0");
  EXPECT_TRUE(context_.sent_of<telemetry::ScrapeReply>().empty());
}

TEST_F(Replica, HoldsItsShareOfGpuMemoryFromReadinessOn) {
  run(10s);
  EXPECT_EQ(context_.sent_of<workload::GpuMemory>().back()->used_mib(), 9536);  // the weights
  run(1s);
  EXPECT_EQ(context_.sent_of<workload::GpuMemory>().back()->used_mib(), 73'728);  // 0.9 of 80 GiB
}

TEST_F(Replica, SaysWhatItRunsAndThatNoTableBacksIt) {
  run(11s);
  ASSERT_EQ(context_.facts_of<facts::ReplicaDescribed>().size(), 1u);
  const auto& described = *context_.facts_of<facts::ReplicaDescribed>()[0];
  EXPECT_EQ(described.service(), "default/llm");
  EXPECT_EQ(described.tensor_parallel(), 1u);
  EXPECT_EQ(context_.facts_of<facts::ModelExtrapolated>().size(), 1u);
}

TEST_F(Replica, SigtermWhileLoadingEndsItAtOnce) {
  terminate(30s);
  ASSERT_NE(exited(), nullptr);
  EXPECT_EQ(exited()->exit_code(), 143);
  const std::size_t facts = context_.facts.size();
  run(1min);
  EXPECT_EQ(context_.facts.size(), facts);
}

TEST_F(LoadedReplica, ServesAtOnceWhenItIsPartOfTheInitialState) {
  EXPECT_TRUE(probe());
}

TEST_F(LoadedReplica, AnswersWithAFirstTokenAndAnEnd) {
  tell(infer(5, 100, 10));
  run(10ms);
  ASSERT_EQ(context_.sent_of<FirstToken>().size(), 1u);
  EXPECT_EQ(context_.sent_of<FirstToken>()[0]->request_id(), 5u);
  EXPECT_TRUE(context_.sent_of<InferDone>().empty());
  run(90ms);
  EXPECT_EQ(last_done(context_).outcome(), InferDone::COMPLETED);
  EXPECT_EQ(last_done(context_).output_tokens(), 10u);
}

TEST_F(LoadedReplica, TellsItsGpuAndObserversWhenKernelsRun) {
  tell(infer(1, 100, 10));
  EXPECT_EQ(context_.sent_of<workload::GpuBusy>().size(), 0u);  // the step begins with its event
  run(100ms);
  EXPECT_EQ(context_.sent_of<workload::GpuBusy>().size(), 1u);
  EXPECT_EQ(context_.sent_of<workload::GpuIdle>().size(), 1u);
  EXPECT_EQ(context_.facts_of<facts::WorkloadBusy>().size(), 1u);
  EXPECT_EQ(context_.facts_of<facts::WorkloadIdle>().size(), 1u);
  ASSERT_EQ(context_.facts_of<facts::StepsRun>().size(), 1u);
  EXPECT_EQ(context_.facts_of<facts::StepsRun>()[0]->steps(), 10u);
  EXPECT_EQ(context_.facts_of<facts::StepsRun>()[0]->gaps(0).tokens(), 9u);
}

TEST_F(LoadedReplica, E9AnswersAnOverlongRequestWith400) {
  tell(infer(1, 9000, 10));
  EXPECT_EQ(last_done(context_).outcome(), InferDone::REJECTED);
  EXPECT_EQ(last_done(context_).code(), 400u);
  EXPECT_TRUE(context_.timers.empty());
}

TEST_F(LoadedReplica, AHangUpFreesTheRequestSilently) {
  tell(infer(1, 100, 1000));
  run(1s);
  CancelRequest cancel;
  cancel.set_request_id(1);
  tell(Payload::of(std::move(cancel)));
  run(1min);
  EXPECT_TRUE(context_.sent_of<InferDone>().empty());
  EXPECT_EQ(context_.sent_of<workload::GpuIdle>().size(), 1u);
}

TEST_F(LoadedReplica, AClientThatIsGoneCountsAsHungUp) {
  tell(infer(1, 100, 1000));
  run(10ms);
  tell(testing::refusal_of(context_.last_sent<FirstToken>()));
  run(1min);
  EXPECT_TRUE(context_.sent_of<InferDone>().empty());
  EXPECT_EQ(context_.sent_of<workload::GpuIdle>().size(), 1u);
}

TEST_F(LoadedReplica, ClientsMayUseTheSameIds) {
  tell(infer(1, 100, 5), "router/a");
  tell(infer(1, 100, 5), "router/b");
  run(1s);
  EXPECT_EQ(context_.sent_of<InferDone>().size(), 2u);
}

TEST_F(LoadedReplica, SigtermClosesThePortAndLetsRequestsFinish) {
  tell(infer(1, 100, 200));  // 2 s
  run(10ms);
  terminate(30s);
  EXPECT_FALSE(probe());
  tell(infer(2, 100, 10));
  EXPECT_TRUE(context_.last_sent<runtime::ConnectionRefused>());
  EXPECT_EQ(exited(), nullptr);
  run(2s);
  EXPECT_EQ(last_done(context_).outcome(), InferDone::COMPLETED);
  ASSERT_NE(exited(), nullptr);
  EXPECT_EQ(exited()->exit_code(), 0);
}

TEST_F(LoadedReplica, ResetsWhatIsStillOpenJustBeforeTheGraceEnds) {
  tell(infer(1, 100, 2000));  // 20 s
  run(10ms);
  terminate(5s);
  run(5s - 2ns);
  EXPECT_EQ(exited(), nullptr);
  run(1ns);
  EXPECT_EQ(last_done(context_).outcome(), InferDone::FAILED);
  ASSERT_NE(exited(), nullptr);
  EXPECT_EQ(exited()->exit_code(), 137);
  EXPECT_EQ(context_.sent_of<workload::GpuIdle>().size(), 1u);
  EXPECT_TRUE(context_.timers.empty());
}

TEST_F(LoadedReplica, SigtermWithoutWorkEndsItAtOnce) {
  terminate(30s);
  ASSERT_NE(exited(), nullptr);
  EXPECT_EQ(exited()->exit_code(), 0);
}

TEST_F(LoadedReplica, ShowsVllmsMetricsWhenScraped) {
  for (std::uint64_t id = 1; id <= 3; ++id) tell(infer(id, 100, 1000));
  run(1s);
  tell(Payload::of(telemetry::ScrapeRequest{}), "telemetry/0");
  double running = -1;
  for (const auto& sample : context_.sent_of<telemetry::ScrapeReply>().back()->samples()) {
    if (sample.name() == "vllm:num_requests_running") running = sample.value();
  }
  EXPECT_EQ(running, 3);
}

TEST(MakeReplica, NeedsAWorkloadForTheNodesGpuAndAGpu) {
  const auto workload = std::make_shared<const ServingWorkload>(small_workload());
  EXPECT_EQ(make_replica(nullptr, small_placement(), false), nullptr);
  ReplicaPlacement other = small_placement();
  other.set_gpu_model("TPU");
  EXPECT_EQ(make_replica(workload, other, false), nullptr);
  ReplicaPlacement none = small_placement();
  none.clear_gpu_paths();
  EXPECT_EQ(make_replica(workload, none, false), nullptr);
}

TEST(ReplicaStart, FailsAfterTheWeightsIfTheyLeaveNoRoomForACache) {
  ServingWorkload workload = small_workload();
  workload.mutable_model()->set_weight_bytes(80'000'000'000);
  FakeContext context(testing::kPodPath);
  const auto actor =
      make_replica(std::make_shared<const ServingWorkload>(workload), small_placement(), false);
  actor->start(context);
  context.run_timers(*actor, 79s);
  EXPECT_TRUE(context.sent_of<workload::Exited>().empty());
  context.run_timers(*actor, 1s);
  ASSERT_EQ(context.sent_of<workload::Exited>().size(), 1u);
  EXPECT_EQ(context.sent_of<workload::Exited>()[0]->exit_code(), 1);
}

}  // namespace
}  // namespace troupe::serving
