// The ReplicaSet controller against a real API server, with the races of T1, T3, T4 and T5.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/objects/owners.h"
#include "tests/actors/workloads/cluster.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::SizeIs;

hosts::WorkloadControllersConfig fast() {
  hosts::WorkloadControllersConfig config;
  config.mutable_client()->set_qps(2000);
  config.mutable_client()->set_burst(4000);
  config.mutable_client()->set_api_servers(1);
  return config;
}

class ReplicaSetTest : public ::testing::Test {
 protected:
  std::shared_ptr<const k8s::ReplicaSet> stored() {
    return cluster_.stored<k8s::ReplicaSet>("default/web");
  }
  void scale(int replicas) {
    k8s::ReplicaSet set = *stored();
    set.mutable_spec()->set_replicas(replicas);
    ASSERT_TRUE(cluster_.update(std::move(set)).ok());
  }
  Cluster cluster_{fast()};
};

TEST_F(ReplicaSetTest, CreatesAsManyPodsAsItSays) {
  cluster_.create(replica_set("web", 7));
  cluster_.network.run_for(2s);
  const auto pods = cluster_.pods();
  ASSERT_THAT(pods, SizeIs(7));
  EXPECT_EQ(controller_uid(pods[0]->metadata()), stored()->metadata().uid());
  EXPECT_TRUE(pods[0]->metadata().name().starts_with("web-"));
  EXPECT_EQ(stored()->status().replicas(), 7);
  EXPECT_THAT(cluster_.event_reasons("ReplicaSet/default/web"), Contains("SuccessfulCreate"));
}

TEST_F(ReplicaSetTest, CountsReadyPods) {
  cluster_.create(replica_set("web", 3));
  cluster_.network.run_for(1s);
  cluster_.run_all_pods();
  EXPECT_EQ(stored()->status().ready_replicas(), 3);
  EXPECT_EQ(stored()->status().available_replicas(), 3);
  EXPECT_EQ(stored()->status().observed_generation(), stored()->metadata().generation());
}

TEST_F(ReplicaSetTest, AvailabilityWaitsForMinReadySeconds) {
  k8s::ReplicaSet set = replica_set("web", 1);
  set.mutable_spec()->set_min_ready_seconds(30);
  cluster_.create(std::move(set));
  cluster_.network.run_for(1s);
  cluster_.run_all_pods();
  EXPECT_EQ(stored()->status().ready_replicas(), 1);
  EXPECT_EQ(stored()->status().available_replicas(), 0);
  cluster_.network.run_for(31s);
  EXPECT_EQ(stored()->status().available_replicas(), 1);
}

TEST_F(ReplicaSetTest, DeletesPodsThatAreTooMany) {
  cluster_.create(replica_set("web", 5));
  cluster_.network.run_for(1s);
  scale(2);
  cluster_.network.run_for(1s);
  EXPECT_THAT(cluster_.pods(), SizeIs(2));
}

TEST_F(ReplicaSetTest, ReplacesAPodThatIsToldToEndAtOnce) {
  cluster_.create(replica_set("web", 1));
  cluster_.network.run_for(1s);
  cluster_.run_all_pods();
  cluster_.remove(key_of(*cluster_.pods()[0]));
  cluster_.network.run_for(1s);
  EXPECT_THAT(cluster_.pods(), SizeIs(2));
  EXPECT_THAT(cluster_.active_pods(), SizeIs(1));
}

TEST_F(ReplicaSetTest, AdoptsOrphansAndReleasesStrangers) {
  k8s::Pod orphan = troupe::testing::pod("default", "orphan");
  set_label(*orphan.mutable_metadata()->mutable_labels(), "app", "web");
  cluster_.create(std::move(orphan));
  cluster_.create(replica_set("web", 2));
  cluster_.network.run_for(2s);
  EXPECT_THAT(cluster_.pods(), SizeIs(2));
  k8s::Pod adopted = *cluster_.stored<k8s::Pod>("default/orphan");
  EXPECT_EQ(controller_uid(adopted.metadata()), stored()->metadata().uid());
  set_label(*adopted.mutable_metadata()->mutable_labels(), "app", "debug");
  cluster_.update(std::move(adopted));
  cluster_.network.run_for(2s);
  EXPECT_THAT(cluster_.pods(), SizeIs(3));
  EXPECT_EQ(controller_uid(cluster_.stored<k8s::Pod>("default/orphan")->metadata()), "");
}

TEST_F(ReplicaSetTest, ALateWatchMakesNoPodTwice) {  // T1
  cluster_.network.latency = [](const auto& wire) {
    return wire.what.template as<api::WatchEvent>() != nullptr ? Duration(3s) : Duration(1ms);
  };
  cluster_.create(replica_set("web", 20));
  cluster_.network.run_for(60s);
  EXPECT_THAT(cluster_.pods(), SizeIs(20));
  EXPECT_EQ(cluster_.network.facts_of<facts::PodCreated>().size(), 20U);
}

TEST_F(ReplicaSetTest, ALostReplyIsMadeGoodByDeletingTheSurplus) {  // T5
  int lost = 0;
  cluster_.network.lose = [&lost](const troupe::testing::Wire& wire) {
    const auto* reply = wire.what.as<api::ApiReply>();
    return reply != nullptr && reply->code() == 201 &&
           wire.to.actor == address_of(kManager).actor && lost++ < 1;
  };
  cluster_.create(replica_set("web", 1));
  cluster_.network.run_for(60s);
  EXPECT_GE(lost, 1);
  EXPECT_THAT(cluster_.active_pods(), SizeIs(1));
}

TEST(ReplicaSetAtItsRealRate, ACrashInTheMiddleOfACreationIsTakenUpAgain) {  // T4
  hosts::WorkloadControllersConfig config;
  config.mutable_client()->set_qps(20);  // kube-controller-manager's --kube-api-qps and -burst
  config.mutable_client()->set_burst(30);
  Cluster cluster{config};
  cluster.create(replica_set("web", 200));
  cluster.network.run_for(2s);
  cluster.network.crash(kManager);
  cluster.network.run_for(1s);
  EXPECT_GT(cluster.pods().size(), 0U);
  EXPECT_LT(cluster.pods().size(), 200U);
  cluster.network.restart(kManager);
  cluster.network.run_for(60s);
  EXPECT_THAT(cluster.pods(), SizeIs(200));
  EXPECT_EQ(cluster.stored<k8s::ReplicaSet>("default/web")->status().replicas(), 200);
}

TEST_F(ReplicaSetTest, TenThousandPodsTakeFewSyncs) {
  hosts::WorkloadControllersConfig unlimited = fast();
  unlimited.mutable_client()->set_qps(0);
  Cluster cluster{unlimited};
  cluster.create(replica_set("web", 10'000));
  const std::size_t before = cluster.network.sent("ApiRequest");
  cluster.network.run_for(30s);
  EXPECT_EQ(cluster.stored<k8s::ReplicaSet>("default/web")->status().replicas(), 10'000);
  EXPECT_LT(cluster.network.sent("ApiRequest") - before,
            10'000U + 200U);  // creations, events and statuses
}

}  // namespace
}  // namespace troupe::workloads
