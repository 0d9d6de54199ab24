// Several API servers over one store: caches that lag, replicas that restart, a store that comes
// back.
#include <gtest/gtest.h>

#include "actors/api_client/informer.h"
#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::pod;

void use_replica(ApiCluster& cluster, std::uint32_t replica,
                 const std::string& path = ApiCluster::kClient) {
  cluster.network.as(path, [&](Context& context) {
    ApiClient& api = cluster.client(path).api;
    while (api.replica(context) != replica) api.reconnect(context);
  });
}

struct ReplicasTest : ::testing::Test {
  ApiCluster cluster{2, [](ApiServerActor::Options& options) {
                       if (options.replica == 1) options.lag = 5s;
                     }};
};

TEST_F(ReplicasTest, AListAtZeroShowsThePastOfALaggingReplica) {
  use_replica(cluster, 0);
  cluster.create(pod("ns", "a"));
  EXPECT_EQ(cluster.list({.kind = "Pod", .resource_version = "0"}).items.size(), 1u);
  use_replica(cluster, 1);
  EXPECT_EQ(cluster.list({.kind = "Pod", .resource_version = "0"}).items.size(), 0u);
  cluster.network.run_for(6s);
  EXPECT_EQ(cluster.list({.kind = "Pod", .resource_version = "0"}).items.size(), 1u);
}

TEST_F(ReplicasTest, AListWithoutAVersionAndAGetReadTheStore) {
  use_replica(cluster, 0);
  cluster.create(pod("ns", "a"));
  use_replica(cluster, 1);
  EXPECT_EQ(cluster.list({.kind = "Pod"}).items.size(), 1u);
  EXPECT_TRUE(cluster.get(key_for<k8s::Pod>("ns/a")).ok());
}

TEST_F(ReplicasTest, AListOfANewerVersionThanTheCacheWaitsForIt) {
  use_replica(cluster, 0);
  cluster.create(pod("ns", "a"));
  cluster.network.run_for(3s);
  use_replica(cluster, 1);
  const ApiResult result = cluster.list({.kind = "Pod", .resource_version = "1"});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.items.size(), 1u);
}

TEST_F(ReplicasTest, AListOfAVersionThatDoesNotComeInTimeIsTooLarge) {
  use_replica(cluster, 0);
  cluster.create(pod("ns", "a"));
  use_replica(cluster, 1);
  const ApiResult result = cluster.list({.kind = "Pod", .resource_version = "1"});
  EXPECT_EQ(result.code, 504);
  EXPECT_EQ(result.message, "Too large resource version: 1, current: 0");
}

TEST_F(ReplicasTest, AWriteRefusedByAStaleCacheIsCheckedAgainstTheStore) {
  use_replica(cluster, 0);
  cluster.create(pod("ns", "a"));
  use_replica(cluster, 1);  // which does not know of the pod yet
  EXPECT_TRUE(cluster.bind(key_for<k8s::Pod>("ns/a"), "n1").ok());
  EXPECT_TRUE(cluster.bind(key_for<k8s::Pod>("ns/a"), "n2").conflict());
}

TEST(ReplicaCrash, LeavesAGapThatOnlyANewListCloses) {
  // The watch broke at version 1. Replica 1 comes back with the store's state at version 2 and no
  // history before it.
  ApiCluster cluster(2);
  cluster.add_client("controller/writer/0", {.api_servers = 2, .qps = 0});
  use_replica(cluster, 1);
  Informer<k8s::Pod> pods(cluster.client().api);
  cluster.network.as(ApiCluster::kClient, [&](Context& context) { pods.start(context); });
  cluster.create(pod("ns", "a"));
  cluster.network.run_for(1s);
  cluster.network.crash("apiserver/1");
  use_replica(cluster, 0, "controller/writer/0");
  const auto write = [&](ApiClient& api, Context& context, ApiCallback done) {
    api.create(context, pod("ns", "b"), std::move(done));
  };
  EXPECT_TRUE(cluster.call(write, "controller/writer/0").ok());
  cluster.network.restart("apiserver/1");
  cluster.network.run_for(1s);
  EXPECT_EQ(pods.size(), 1u) << "it does not know yet that its connection is dead";
  cluster.network.as(ApiCluster::kClient, [&](Context& context) {
    do {
      cluster.client().api.reconnect(context);
    } while (cluster.client().api.replica(context) != 1);
  });
  cluster.network.run_for(1min);
  EXPECT_EQ(pods.lists(), 2u);
  EXPECT_EQ(pods.size(), 2u);
}

TEST(StoreCrash, KeepsWhatWasCommittedAndEveryoneFindsBack) {
  ApiCluster cluster(2);
  use_replica(cluster, 1);
  Informer<k8s::Pod> pods(cluster.client().api);
  cluster.network.as(ApiCluster::kClient, [&](Context& context) { pods.start(context); });
  cluster.create(pod("ns", "a"));
  cluster.network.run_for(1s);
  cluster.network.crash("apiserver/0");
  cluster.network.run_for(10s);
  cluster.network.restart("apiserver/0");
  cluster.network.run_for(30s);
  const ApiResult made = cluster.create(pod("ns", "b"));
  EXPECT_TRUE(made.ok()) << made.message;
  EXPECT_EQ(made.resource_version, "2");
  cluster.network.run_for(2min);
  EXPECT_EQ(pods.size(), 2u) << "replica 1 subscribed again and its watches went on";
}

TEST(StoreCrash, AReplicaWithoutAStoreAnswersNothing) {
  ApiCluster cluster(2);
  use_replica(cluster, 1);
  cluster.network.crash("apiserver/0");
  EXPECT_TRUE(cluster.get(key_for<k8s::Pod>("ns/a")).timed_out());
  EXPECT_TRUE(cluster.list({.kind = "Pod", .resource_version = "0"}).ok()) << "from its cache";
}

}  // namespace
}  // namespace troupe::apiserver
