// The LeaderWorkerSet controller against a real API server, together with the garbage collector.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/leader_worker_set/groups.h"
#include "tests/actors/workloads/cluster.h"
#include "tests/actors/workloads/leader_worker_set_cases.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using troupe::testing::Wire;

class LeaderWorkerSetTest : public ::testing::Test {
 protected:
  void create(int replicas, int size) {
    ASSERT_TRUE(cluster_.create(leader_worker_set(replicas, size)).ok());
    cluster_.network.run_for(2s);
  }
  void scale(int replicas) {
    lws::LeaderWorkerSet set = *stored();
    set.mutable_spec()->set_replicas(replicas);
    ASSERT_TRUE(cluster_.update(std::move(set)).ok());
    cluster_.network.run_for(2s);
  }
  std::shared_ptr<const lws::LeaderWorkerSet> stored() {
    return cluster_.stored<lws::LeaderWorkerSet>("default/llm");
  }
  std::vector<std::string> names() {
    std::vector<std::string> found;
    for (const auto& pod : cluster_.active_pods()) found.push_back(pod->metadata().name());
    return found;
  }
  std::string uid_of(const std::string& pod) {
    const auto stored = cluster_.stored<k8s::Pod>("default/" + pod);
    return stored == nullptr ? "" : stored->metadata().uid();
  }
  void restart_container(const std::string& name) {
    k8s::Pod pod = *cluster_.stored<k8s::Pod>("default/" + name);
    pod.mutable_status()->add_container_statuses()->set_restart_count(1);
    ASSERT_TRUE(cluster_.update_status(std::move(pod)).ok());
    cluster_.network.run_for(2s);
  }
  Cluster cluster_;
};

TEST_F(LeaderWorkerSetTest, MakesItsGroupsAndSaysWhenTheyAreReady) {
  create(2, 3);
  EXPECT_THAT(names(),
              UnorderedElementsAre("llm-0", "llm-0-1", "llm-0-2", "llm-1", "llm-1-1", "llm-1-2"));
  EXPECT_EQ(stored()->status().replicas(), 2);
  EXPECT_EQ(stored()->status().ready_replicas(), 0);
  cluster_.run_all_pods();
  cluster_.network.run_for(1s);
  EXPECT_EQ(stored()->status().ready_replicas(), 2);
  EXPECT_TRUE(is_true(stored()->status().conditions(), "Available"));
}

TEST_F(LeaderWorkerSetTest, DeclaresEachGroupAsAGang) {
  create(2, 3);
  std::map<std::string, int> minima;
  for (const auto* gang : cluster_.network.facts_of<facts::GangDeclared>()) {
    minima[gang->gang()] = static_cast<int>(gang->sub_groups(0).minimum());
  }
  EXPECT_THAT(minima, ElementsAre(std::pair("default/llm-0", 3), std::pair("default/llm-1", 3)));
  std::map<std::string, std::set<std::string>> members;
  for (const auto* member : cluster_.network.facts_of<facts::GangMember>()) {
    members[member->gang()].insert(member->uid());
  }
  EXPECT_THAT(members["default/llm-1"],
              UnorderedElementsAre(uid_of("llm-1"), uid_of("llm-1-1"), uid_of("llm-1-2")));
}

TEST_F(LeaderWorkerSetTest, ScalesUpAndDown) {
  create(1, 2);
  scale(3);
  EXPECT_THAT(names(), SizeIs(6));
  scale(1);
  cluster_.network.run_for(5s);
  EXPECT_THAT(names(), UnorderedElementsAre("llm-0", "llm-0-1"));
  EXPECT_EQ(stored()->status().replicas(), 1);
  std::vector<std::string> dissolved;
  for (const auto* gang : cluster_.network.facts_of<facts::GangDissolved>()) {
    dissolved.push_back(gang->gang());
  }
  EXPECT_THAT(dissolved, UnorderedElementsAre("default/llm-2", "default/llm-1"));
}

TEST_F(LeaderWorkerSetTest, ARestartOfOnePodMakesTheWholeGroupAnew) {
  create(2, 2);
  cluster_.run_all_pods();
  const std::string leader = uid_of("llm-1");
  const std::string worker = uid_of("llm-1-1");
  const std::string other = uid_of("llm-0");
  restart_container("llm-1-1");
  // Both are told to end; the new leader cannot come before the old name is free.
  EXPECT_THAT(names(), UnorderedElementsAre("llm-0", "llm-0-1"));
  for (int i = 0; i < 3; ++i) {
    cluster_.end_deleted_pods();
    cluster_.network.run_for(2s);
  }
  EXPECT_THAT(names(), UnorderedElementsAre("llm-0", "llm-0-1", "llm-1", "llm-1-1"));
  EXPECT_NE(uid_of("llm-1"), leader);
  EXPECT_NE(uid_of("llm-1-1"), worker);
  EXPECT_EQ(uid_of("llm-0"), other);
  EXPECT_THAT(cluster_.event_reasons("LeaderWorkerSet/default/llm"), Contains("RecreateGroup"));
  EXPECT_THAT(cluster_.network.facts_of<facts::GangDissolved>(), IsEmpty());
}

TEST_F(LeaderWorkerSetTest, ALateWatchMakesNoPodTwice) {
  cluster_.network.latency = [](const Wire& wire) {
    return wire.what.as<api::WatchEvent>() != nullptr ? Duration(2s) : Duration(1ms);
  };
  create(3, 4);
  cluster_.network.run_for(20s);
  EXPECT_THAT(names(), SizeIs(12));
  EXPECT_EQ(cluster_.network.facts_of<facts::PodCreated>().size(), 12U);
  EXPECT_THAT(cluster_.event_reasons("LeaderWorkerSet/default/llm"),
              Each(::testing::Ne("FailedCreate")));
}

TEST_F(LeaderWorkerSetTest, ALostReplyOfACreationLosesNoMemberOfTheGang) {
  int lost = 0;
  cluster_.network.lose = [&lost](const Wire& wire) {
    const auto* reply = wire.what.as<api::ApiReply>();
    return reply != nullptr && reply->code() == 201 &&
           wire.to.actor == address_of(kManager).actor && lost++ < 1;
  };
  create(1, 2);
  cluster_.network.run_for(30s);
  EXPECT_GE(lost, 1);
  EXPECT_THAT(names(), UnorderedElementsAre("llm-0", "llm-0-1"));
  std::set<std::string> members;
  for (const auto* member : cluster_.network.facts_of<facts::GangMember>()) {
    members.insert(member->uid());
  }
  EXPECT_THAT(members, UnorderedElementsAre(uid_of("llm-0"), uid_of("llm-0-1")));
}

TEST_F(LeaderWorkerSetTest, ACrashedControllerCompletesTheGroups) {
  hosts::WorkloadControllersConfig config;
  config.mutable_client()->set_qps(5);
  config.mutable_client()->set_burst(1);
  Cluster cluster{config};
  cluster.create(leader_worker_set(4, 4));
  cluster.network.run_for(2s);
  cluster.network.crash(kManager);
  cluster.network.run_for(1s);
  EXPECT_LT(cluster.pods().size(), 16U);
  cluster.network.restart(kManager);
  cluster.network.run_for(60s);
  EXPECT_THAT(cluster.pods(), SizeIs(16));
  std::set<std::string> members;
  for (const auto* member : cluster.network.facts_of<facts::GangMember>()) {
    members.insert(member->uid());
  }
  EXPECT_THAT(members, SizeIs(16));
}

}  // namespace
}  // namespace troupe::workloads
