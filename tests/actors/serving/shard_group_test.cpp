// A replica of several pods: the leader's engine over everybody's GPUs, and who dies with whom.
#include "actors/serving/shard_actor.h"

#include <gtest/gtest.h>

#include "messages/k8s/pod.pb.h"
#include "tests/actors/serving/serving_cases.h"
#include "tests/support/api_stub.h"

namespace troupe::serving {
namespace {

using testing::FakeContext;
using testing::infer;
using troupe::testing::ApiStub;
using namespace std::chrono_literals;

ReplicaPlacement member(std::uint32_t index) {
  ReplicaPlacement placement = testing::small_placement();
  placement.set_group_size(3);
  placement.set_group_index(index);
  placement.set_leader_namespace("default");
  placement.set_leader_pod("llm-0");
  placement.set_pod_uid("uid-" + std::to_string(index));
  placement.set_node("node-" + std::to_string(index));
  return placement;
}

Payload ready(std::uint32_t index, std::uint64_t session = 0) {
  ShardReady message;
  message.set_pod_uid("uid-" + std::to_string(index));
  message.set_group_index(index);
  message.set_node("node-" + std::to_string(index));
  message.set_gpus(1);
  message.set_session(session);
  return Payload::of(std::move(message));
}

class Leader : public ::testing::Test {
 protected:
  Leader() {
    actor_ = make_replica(std::make_shared<const ServingWorkload>(testing::small_workload()),
                          member(0), false);
    actor_->start(context_);
  }
  void hear(std::uint32_t index, std::uint64_t session = 0) {
    actor_->receive(context_, context_.deliver(ready(index, session), path(index)));
  }
  static std::string path(std::uint32_t index) {
    return "node/node-" + std::to_string(index) + "/pod/uid-" + std::to_string(index);
  }
  std::uint64_t session() { return context_.sent_of<ShardReadyReply>().back()->session(); }
  void load_all() {
    hear(1);
    hear(2);
    context_.run_timers(*actor_, 5s);  // a third of the weights, then one second
    hear(1, session());
    hear(2, session());
  }

  FakeContext context_{"node/node-0/pod/uid-0"};
  std::unique_ptr<Actor> actor_;
};

TEST_F(Leader, BeginsToLoadWhenTheLastMemberIsThere) {
  context_.run_timers(*actor_, 1min);
  hear(1);
  context_.run_timers(*actor_, 2s);
  EXPECT_TRUE(context_.facts_of<facts::WorkloadStage>().empty());
  hear(2);
  ASSERT_EQ(context_.facts_of<facts::WorkloadStage>().size(), 3u);  // one for each pod
  EXPECT_EQ(context_.facts_of<facts::WorkloadStage>()[2]->uid(), "uid-2");
}

TEST_F(Leader, LoadsAThirdOfTheWeightsAndServesOverAllGpus) {
  hear(1);
  hear(2);
  context_.run_timers(*actor_, 3333333us);
  EXPECT_EQ(context_.facts_of<facts::WorkloadStage>().size(), 3u);
  context_.run_timers(*actor_, 1s + 1us);
  ASSERT_EQ(context_.facts_of<facts::ReplicaDescribed>().size(), 1u);
  EXPECT_EQ(context_.facts_of<facts::ReplicaDescribed>()[0]->tensor_parallel(), 3u);
}

TEST_F(Leader, TellsMembersWhenKernelsRun) {
  load_all();
  actor_->receive(context_, context_.deliver(infer(1, 10, 10), "router/r"));
  context_.clear();
  context_.run_timers(*actor_, 100ms);
  ASSERT_EQ(context_.sent_of<ShardWork>().size(), 4u);
  EXPECT_TRUE(context_.sent_of<ShardWork>()[0]->running());
  EXPECT_FALSE(context_.sent_of<ShardWork>()[3]->running());
  EXPECT_EQ(context_.facts_of<facts::WorkloadBusy>().size(), 3u);
  EXPECT_EQ(context_.facts_of<facts::WorkloadIdle>().size(), 3u);
}

TEST_F(Leader, DiesWithAMemberAndResetsItsRequests) {
  load_all();
  actor_->receive(context_, context_.deliver(infer(1, 10, 1000), "router/r"));
  context_.run_timers(*actor_, 100ms);
  ShardLost lost;
  lost.set_group_index(2);
  actor_->receive(context_, context_.deliver(Payload::of(std::move(lost)), path(2)));
  EXPECT_EQ(testing::last_done(context_).outcome(), InferDone::FAILED);
  EXPECT_EQ(context_.sent_of<workload::Exited>().size(), 1u);
  EXPECT_EQ(context_.sent_of<ShardLost>().size(), 2u);
}

TEST_F(Leader, TakesSilenceForLoss) {
  load_all();
  for (int i = 0; i < 4; ++i) {
    context_.run_timers(*actor_, 3s);
    hear(1, session());
  }
  EXPECT_TRUE(context_.sent_of<workload::Exited>().empty());
  context_.run_timers(*actor_, 6s);
  EXPECT_EQ(context_.sent_of<workload::Exited>().size(), 1u);
}

TEST_F(Leader, ForgetsAMemberThatLeavesBeforeTheGroupIsComplete) {
  hear(1);
  ShardLost lost;
  lost.set_group_index(1);
  actor_->receive(context_, context_.deliver(Payload::of(std::move(lost)), path(1)));
  hear(2);
  EXPECT_TRUE(context_.facts_of<facts::WorkloadStage>().empty());
  EXPECT_TRUE(context_.sent_of<workload::Exited>().empty());
}

TEST_F(Leader, TurnsAwayAMemberOfAnEarlierLife) {
  hear(1, 12345);
  EXPECT_EQ(context_.sent_of<ShardLost>().size(), 1u);
  EXPECT_EQ(context_.sent_of<ShardLost>()[0]->exit_code(), 1);
}

TEST(ShardGroup, IsInOneLinkDomainOnOneNodeOrInASharedDomain) {
  ReplicaPlacement leader = member(0);
  const auto joined = [](const ReplicaPlacement& head, const std::string& node,
                         const std::string& domain) {
    ShardGroup group(head, 1);
    ShardReady message;
    message.set_group_index(1);
    message.set_node(node);
    message.set_link_domain(domain);
    EXPECT_TRUE(group.heard(message, Address{1, 2, 1}, kTimeZero));
    return group.one_link_domain();
  };
  EXPECT_TRUE(joined(leader, "node-0", ""));
  EXPECT_FALSE(joined(leader, "node-1", ""));
  leader.set_link_domain("clique-7");
  EXPECT_TRUE(joined(leader, "node-1", "clique-7"));
  EXPECT_FALSE(joined(leader, "node-1", "clique-8"));
}

class Worker : public ::testing::Test {
 protected:
  Worker() : api_(context_), actor_(member(1)) {}

  void leader_is_at(const std::string& pod_path) {
    k8s::Pod pod;
    pod.mutable_metadata()->set_namespace_("default");
    pod.mutable_metadata()->set_name("llm-0");
    if (!pod_path.empty()) pod.mutable_status()->set_pod_ip(pod_path);
    api_.put(pod);
  }
  void tell(Payload what, std::string_view from) {
    actor_.receive(context_, context_.deliver(std::move(what), from));
  }
  void accept(std::uint64_t session = 9) {
    ShardReadyReply reply;
    reply.set_session(session);
    tell(Payload::of(std::move(reply)), "node/node-0/pod/uid-0");
  }
  std::size_t said_ready() { return context_.sent_of<ShardReady>().size(); }
  bool exited() { return !context_.sent_of<workload::Exited>().empty(); }

  FakeContext context_{"node/node-1/pod/uid-1"};
  ApiStub api_;
  ShardActor actor_;
};

TEST_F(Worker, WaitsUntilItsLeaderHasAnAddress) {
  actor_.start(context_);
  api_.run(actor_, 5s);
  EXPECT_EQ(said_ready(), 0u);
  leader_is_at("");
  api_.run(actor_, 5s);
  EXPECT_EQ(said_ready(), 0u);
  leader_is_at("node/node-0/pod/uid-0");
  api_.run(actor_, 1s);
  EXPECT_EQ(said_ready(), 1u);
}

TEST_F(Worker, KeepsKnockingUntilTheLeaderListens) {
  leader_is_at("node/node-0/pod/uid-0");
  actor_.start(context_);
  api_.serve(actor_);
  tell(testing::refusal_of(context_.last_sent<ShardReady>()), "node/node-0/pod/uid-0");
  EXPECT_FALSE(exited());
  api_.run(actor_, 1s);
  EXPECT_EQ(said_ready(), 2u);
}

TEST_F(Worker, EndsWhenItsLeaderIsGone) {
  leader_is_at("node/node-0/pod/uid-0");
  actor_.start(context_);
  api_.serve(actor_);
  accept();
  api_.run(actor_, 3s);
  tell(testing::refusal_of(context_.last_sent<ShardReady>()), "node/node-0/pod/uid-0");
  EXPECT_TRUE(exited());
}

TEST_F(Worker, EndsWhenItsLeadersNodeIsSilent) {
  leader_is_at("node/node-0/pod/uid-0");
  actor_.start(context_);
  api_.serve(actor_);
  accept();
  api_.run(actor_, 15s);
  EXPECT_FALSE(exited());
  api_.run(actor_, 4s);
  EXPECT_TRUE(exited());
}

TEST_F(Worker, LetsItsGpusWorkAsTheLeaderSays) {
  ShardWork news;
  news.set_running(true);
  news.set_memory_mib(7000);
  tell(Payload::of(news), "node/node-0/pod/uid-0");
  EXPECT_EQ(context_.sent_of<workload::GpuBusy>().size(), 1u);
  EXPECT_EQ(context_.sent_of<workload::GpuMemory>().back()->used_mib(), 7000);
  news.set_running(false);
  tell(Payload::of(news), "node/node-0/pod/uid-0");
  EXPECT_EQ(context_.sent_of<workload::GpuIdle>().size(), 1u);
}

TEST_F(Worker, HoldsOutUntilTheLeaderHasDrained) {
  leader_is_at("node/node-0/pod/uid-0");
  actor_.start(context_);
  api_.serve(actor_);
  accept();
  workload::Terminate terminate;
  terminate.set_grace_ns(Duration(30s).count());
  tell(Payload::of(std::move(terminate)), "node/node-1");
  EXPECT_FALSE(exited());
  tell(Payload::of(ShardLost{}), "node/node-0/pod/uid-0");
  ASSERT_TRUE(exited());
  EXPECT_EQ(context_.sent_of<workload::Exited>()[0]->exit_code(), 0);
}

TEST_F(Worker, HasNoServer) {
  tell(infer(1, 10, 10), "router/r");
  EXPECT_TRUE(context_.last_sent<runtime::ConnectionRefused>());
}

}  // namespace
}  // namespace troupe::serving
