// Optimistic concurrency: who loses, and how he is told.
#include <gtest/gtest.h>

#include "messages/labels.h"
#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::pod;

k8s::Pod labelled(k8s::Pod one, const std::string& key) {
  set_label(*one.mutable_metadata()->mutable_labels(), key, "1");
  return one;
}

TEST(Conflict, AnUpdateOfAnOldVersionIsRefusedInTheRealWords) {
  ApiCluster cluster;
  const auto first = cluster.create(pod("ns", "a")).as<k8s::Pod>();
  EXPECT_TRUE(cluster.update(labelled(*first, "x")).ok());
  const ApiResult late = cluster.update(labelled(*first, "y"));
  EXPECT_TRUE(late.conflict());
  EXPECT_EQ(
      late.message,
      "Operation cannot be fulfilled on pods \"a\": the object has been modified; please apply "
      "your changes to the latest version and try again");
  EXPECT_EQ(cluster.stored<k8s::Pod>("ns/a")->metadata().labels(0).key(), "x");
}

TEST(Conflict, AnUpdateWithoutAVersionOverwrites) {
  ApiCluster cluster;
  k8s::Pod first = *cluster.create(pod("ns", "a")).as<k8s::Pod>();
  cluster.update(labelled(first, "x"));
  first.mutable_metadata()->clear_resource_version();
  EXPECT_TRUE(cluster.update(labelled(first, "y")).ok());
  EXPECT_EQ(cluster.stored<k8s::Pod>("ns/a")->metadata().labels(0).key(), "y");
}

TEST(Conflict, AnUpdateOfAnotherUidIsRefused) {
  ApiCluster cluster;
  k8s::Pod first = *cluster.create(pod("ns", "a")).as<k8s::Pod>();
  cluster.remove(key_for<k8s::Pod>("ns/a"));
  cluster.create(pod("ns", "a"));
  first.mutable_metadata()->clear_resource_version();
  const ApiResult late = cluster.update(labelled(first, "x"));
  EXPECT_TRUE(late.conflict());
  EXPECT_NE(late.message.find("Precondition failed: UID in precondition"), std::string::npos);
}

TEST(Conflict, OfTwoUpdatesAtOnceOneWins) {
  ApiCluster cluster;
  const auto first = cluster.create(pod("ns", "a")).as<k8s::Pod>();
  std::vector<ApiResult> answers;
  cluster.network.as(ApiCluster::kClient, [&](Context& context) {
    for (const char* label : {"x", "y"}) {
      cluster.client().api.update(
          context, labelled(*first, label),
          [&](Context&, const ApiResult& result) { answers.push_back(result); });
    }
  });
  cluster.network.run_for(1s);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_NE(answers[0].ok(), answers[1].ok());
  EXPECT_NE(answers[0].conflict(), answers[1].conflict());
}

TEST(Conflict, TwoPatchesAtOnceBothWin) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  int succeeded = 0;
  cluster.network.as(ApiCluster::kClient, [&](Context& context) {
    for (const char* label : {"x", "y"}) {
      k8s::Pod partial;
      partial.mutable_metadata()->set_namespace_("ns");
      partial.mutable_metadata()->set_name("a");
      cluster.client().api.patch(
          context, labelled(partial, label), {},
          [&](Context&, const ApiResult& result) { succeeded += result.ok(); });
    }
  });
  cluster.network.run_for(1s);
  EXPECT_EQ(succeeded, 2);
  EXPECT_EQ(cluster.stored<k8s::Pod>("ns/a")->metadata().labels_size(), 2);
}

TEST(Conflict, AWriteThroughAReplicaThatLagsIsComparedByTheStore) {
  // Replica 1 sees the store 5 s late. An update of the newest version passes it; one of the
  // version that its cache still shows does not.
  ApiCluster cluster(2, [](ApiServerActor::Options& options) {
    if (options.replica == 1) options.lag = 5s;
  });
  const auto to_replica = [](ApiClient& api, Context& context, std::uint32_t replica) {
    for (int i = 0; i < 64; ++i) {
      if (api.replica(context) == replica) return;
      api.reconnect(context);
    }
  };
  const auto update_through = [&](std::uint32_t replica, const k8s::Pod& one) {
    return cluster.call([&](ApiClient& api, Context& context, ApiCallback done) {
      to_replica(api, context, replica);
      api.update(context, one, std::move(done));
    });
  };
  const auto first = cluster.create(pod("ns", "a")).as<k8s::Pod>();
  cluster.network.run_for(10s);
  const auto second = update_through(0, labelled(*first, "x")).as<k8s::Pod>();
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(update_through(1, labelled(*first, "y")).conflict());
  EXPECT_TRUE(update_through(1, labelled(*second, "z")).ok());
}

}  // namespace
}  // namespace troupe::apiserver
