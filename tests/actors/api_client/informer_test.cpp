#include "actors/api_client/informer.h"

#include <gtest/gtest.h>

#include "messages/labels.h"
#include "tests/support/api_cluster.h"

namespace troupe {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::pod;
using testing::Wire;

/// An informer on a cluster's test client that writes down what its handlers hear.
struct InformerTest : ::testing::Test {
  explicit InformerTest(std::uint32_t replicas = 1) : cluster(replicas) {
    cluster.add_client(kWriter, {.api_servers = replicas, .qps = 0});
  }
  static constexpr const char* kWriter = "controller/writer/0";

  ApiCluster cluster;
  std::unique_ptr<Informer<k8s::Pod>> pods;
  std::vector<std::string> heard;

  void start(InformerOptions options = {}) {
    pods = std::make_unique<Informer<k8s::Pod>>(cluster.client().api, std::move(options));
    pods->on_add(
        [this](Context&, const auto& one) { heard.push_back("+" + one->metadata().name()); });
    pods->on_update([this](Context&, const auto& before, const auto& after) {
      heard.push_back((before == after ? "=" : "~") + after->metadata().name());
    });
    pods->on_delete(
        [this](Context&, const auto& one) { heard.push_back("-" + one->metadata().name()); });
    pods->on_synced([this](Context&) { heard.push_back("synced"); });
    cluster.network.as(ApiCluster::kClient, [this](Context& context) { pods->start(context); });
    cluster.network.run_for(100ms);
  }
  ApiResult write(const std::string& name) {
    return cluster.call(
        [&](ApiClient& api, Context& context, ApiCallback done) {
          api.create(context, pod("ns", name), std::move(done));
        },
        kWriter);
  }
  ApiResult remove(const std::string& name) {
    return cluster.call(
        [&](ApiClient& api, Context& context, ApiCallback done) {
          api.remove(context, key_for<k8s::Pod>("ns", name), {}, std::move(done));
        },
        kWriter);
  }
  void cut_off() {
    cluster.network.lose = [](const Wire& wire) {
      return wire.from == ApiCluster::kClient || wire.to.any() == address_of(ApiCluster::kClient);
    };
  }
  void heal() {
    cluster.network.lose = [](const Wire&) { return false; };
  }
};

using Heard = std::vector<std::string>;

TEST_F(InformerTest, ListsAndThenFollowsTheWatch) {
  write("a");
  start();
  write("b");
  cluster.bind(key_for<k8s::Pod>("ns/a"), "n1");
  remove("b");
  cluster.network.run_for(1s);
  EXPECT_EQ(heard, (Heard{"+a", "synced", "+b", "~a", "-b"}));
  EXPECT_EQ(pods->get("ns/a")->spec().node_name(), "n1");
  EXPECT_EQ(pods->get("ns", "b"), nullptr);
  EXPECT_EQ(pods->size(), 1u);
}

TEST_F(InformerTest, IsStaleUntilTheWatchBringsAnOwnWrite) {
  cluster.network.latency = [](const Wire& wire) -> Duration {
    return wire.via.link == Link::Watch ? Duration(5s) : Duration(1ms);
  };
  start();
  EXPECT_TRUE(cluster.create(pod("ns", "a")).ok());
  EXPECT_EQ(pods->get("ns/a"), nullptr) << "the write is known, the cache is not";
  cluster.network.run_for(6s);
  EXPECT_NE(pods->get("ns/a"), nullptr);
}

TEST_F(InformerTest, ResumesABrokenWatchWithoutANewList) {
  write("a");
  start();
  cluster.network.as(ApiCluster::kClient,
                     [&](Context& context) { cluster.client().api.reconnect(context); });
  write("b");
  cluster.network.run_for(5s);
  EXPECT_EQ(pods->lists(), 1u);
  EXPECT_EQ(heard, (Heard{"+a", "synced", "+b"}));
}

TEST_F(InformerTest, NoticesADeletionThatFellIntoAGap) {
  write("a");
  write("b");
  start();
  cut_off();
  remove("a");
  write("c");
  cluster.network.run_for(10min);  // long past the history of the API server
  heal();
  cluster.network.run_for(2min);
  EXPECT_EQ(pods->lists(), 2u);
  EXPECT_EQ(heard, (Heard{"+a", "+b", "synced", "+c", "-a"}));
}

TEST_F(InformerTest, TakesAnObjectThatWasReplacedInAGapForAnUpdate) {
  const std::string first = write("a").as<k8s::Pod>()->metadata().uid();
  start();
  cut_off();
  remove("a");
  const std::string second = write("a").as<k8s::Pod>()->metadata().uid();
  cluster.network.run_for(10min);
  heal();
  cluster.network.run_for(2min);
  ASSERT_NE(first, second);
  EXPECT_EQ(heard, (Heard{"+a", "synced", "~a"}));
  EXPECT_EQ(pods->get("ns/a")->metadata().uid(), second);
}

TEST_F(InformerTest, FindsASilentWatchByItsMissingBookmarks) {
  start();
  // The first watch alone is lost; the connection still answers pings, and another watch on it
  // works.
  std::uint64_t first = 0;
  cluster.network.lose = [&first](const Wire& wire) {
    const auto* event = wire.what.as<api::WatchEvent>();
    if (event != nullptr && first == 0) first = event->watch_id();
    return event != nullptr && event->watch_id() == first;
  };
  write("a");
  cluster.network.run_for(80s);
  EXPECT_EQ(pods->size(), 0u);
  cluster.network.run_for(20s);
  EXPECT_EQ(pods->size(), 1u);
  EXPECT_EQ(pods->lists(), 1u);
}

TEST_F(InformerTest, RetriesAListThatGetsNoAnswer) {
  write("a");
  cut_off();
  start();
  cluster.network.run_for(30s);
  EXPECT_FALSE(pods->synced());
  heal();
  cluster.network.run_for(1min);
  EXPECT_TRUE(pods->synced());
  EXPECT_EQ(pods->size(), 1u);
}

TEST_F(InformerTest, ShowsEverythingAgainAtAResync) {
  write("a");
  start({.resync = 30s});
  cluster.network.run_for(65s);
  EXPECT_EQ(heard, (Heard{"+a", "synced", "=a", "=a"}));
}

TEST_F(InformerTest, SelectsByNamespaceFieldAndLabel) {
  k8s::Pod labelled = pod("ns", "a");
  set_label(*labelled.mutable_metadata()->mutable_labels(), "app", "x");
  cluster.create(labelled);
  labelled.mutable_metadata()->set_namespace_("other");
  cluster.create(labelled);
  write("b");
  start({.name_space = "ns", .labels = {label_in("app", {"x"})}});
  EXPECT_EQ(heard, (Heard{"+a", "synced"}));
  Informer<k8s::Pod> on_node(cluster.client().api, {.fields = {field_is("spec.nodeName", "n1")}});
  cluster.network.as(ApiCluster::kClient, [&](Context& context) { on_node.start(context); });
  cluster.bind(key_for<k8s::Pod>("ns/b"), "n1");
  cluster.network.run_for(1s);
  ASSERT_EQ(on_node.size(), 1u);
  EXPECT_NE(on_node.get("ns/b"), nullptr);
}

TEST(InformerTimeTravel, ARestartedProcessMayListThePastFromALaggingReplica) {
  // Kubernetes issue 59848: the new process lists at version 0 from a cache that is behind what the
  // old one saw.
  ApiCluster cluster(2, [](apiserver::ApiServerActor::Options& options) {
    if (options.replica == 1) options.lag = 60s;
  });
  const auto informer_on = [&](std::uint32_t replica) {
    auto informer = std::make_unique<Informer<k8s::Pod>>(cluster.client().api);
    cluster.network.as(ApiCluster::kClient, [&](Context& context) {
      while (cluster.client().api.replica(context) != replica)
        cluster.client().api.reconnect(context);
      informer->start(context);
    });
    cluster.network.run_for(1s);
    return informer;
  };
  const auto first = informer_on(0);
  cluster.create(pod("ns", "a"));
  cluster.network.run_for(1s);
  EXPECT_EQ(first->size(), 1u);
  EXPECT_EQ(informer_on(1)->size(), 0u);
}

}  // namespace
}  // namespace troupe
