#include "actors/api_client/api_client.h"

#include <gtest/gtest.h>

#include "messages/runtime.pb.h"
#include "tests/support/api_cluster.h"
#include "tests/support/fake_context.h"

namespace troupe {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::FakeContext;
using testing::pod;

struct ApiClientTest : ::testing::Test {
  FakeContext context;
  std::vector<ApiResult> results;
  ApiCallback keep = [this](Context&, const ApiResult& result) { results.push_back(result); };

  Delivery reply(std::uint64_t id, int code) const {
    api::ApiReply message;
    message.set_request_id(id);
    message.set_code(code);
    return context.deliver(Payload::of(message));
  }
  void get(ApiClient& api, const std::string& name) {
    api.get(context, key_for<k8s::Pod>("ns", name), keep);
  }
};

TEST_F(ApiClientTest, CallsBackOnceWithTheAnswer) {
  ApiClient api{{.qps = 0}};
  get(api, "a");
  const std::uint64_t id = context.sent_of<api::ApiRequest>()[0]->request_id();
  EXPECT_TRUE(api.receive(context, reply(id, 200)));
  EXPECT_TRUE(api.receive(context, reply(id, 200)));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].ok());
}

TEST_F(ApiClientTest, SendsAtItsRateInOrder) {
  ApiClient api{{.qps = 10, .burst = 2}};
  for (const char* name : {"a", "b", "c", "d"}) get(api, name);
  EXPECT_EQ(context.sent.size(), 2u);
  context.run_timers(api, 100ms);
  EXPECT_EQ(context.sent.size(), 3u);
  context.run_timers(api, 100ms);
  ASSERT_EQ(context.sent.size(), 4u);
  EXPECT_EQ(context.sent_of<api::ApiRequest>()[2]->key().name(), "c");
  EXPECT_EQ(context.sent_of<api::ApiRequest>()[3]->key().name(), "d");
}

TEST_F(ApiClientTest, RefusesWhatItsQueueCannotHold) {
  ApiClient api{{.qps = 1, .burst = 1, .queue_limit = 1}};
  for (const char* name : {"a", "b", "c"}) get(api, name);
  EXPECT_TRUE(results.empty()) << "never from within the call";
  context.run_timers(api, 0s);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].reason, "ClientQueueFull");
}

TEST_F(ApiClientTest, GivesUpAfterItsTimeoutAndNeverSendsAgain) {
  ApiClient api{{.qps = 0, .timeout = 10s}};
  get(api, "a");
  context.run_timers(api, 9s);
  get(api, "b");
  context.run_timers(api, 1s);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].timed_out());
  context.run_timers(api, 60s);
  EXPECT_EQ(results.size(), 2u);
  EXPECT_EQ(context.sent.size(), 2u);
}

TEST_F(ApiClientTest, CountsTheTimeoutFromTheMomentTheRequestLeaves) {
  ApiClient api{{.qps = 0.1, .burst = 1, .timeout = 10s}};
  get(api, "a");
  get(api, "b");  // leaves at 10 s
  context.run_timers(api, 19s);
  EXPECT_EQ(results.size(), 1u);
  context.run_timers(api, 1s);
  EXPECT_EQ(results.size(), 2u);
}

TEST_F(ApiClientTest, ALateReplyChangesNothing) {
  ApiClient api{{.qps = 0, .timeout = 10s}};
  get(api, "a");
  context.run_timers(api, 11s);
  EXPECT_TRUE(
      api.receive(context, reply(context.sent_of<api::ApiRequest>()[0]->request_id(), 201)));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].timed_out());
}

TEST_F(ApiClientTest, ARefusedConnectionFailsTheRequestAndLeadsElsewhere) {
  ApiClient api{{.api_servers = 8, .qps = 0}};
  get(api, "a");
  const std::uint32_t first = api.replica(context);
  Payload refusal = Payload::of(runtime::ConnectionRefused{}, {context.sent[0].what});
  EXPECT_TRUE(api.receive(context, context.deliver(refusal)));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].code, 503);
  EXPECT_NE(api.replica(context), first);
}

TEST_F(ApiClientTest, LeavesOtherMessagesAlone) {
  ApiClient api{{.qps = 0}};
  EXPECT_FALSE(api.receive(context, context.deliver(Payload::of(runtime::HostStop{}))));
  Payload foreign = Payload::of(runtime::ConnectionRefused{}, {Payload::of(runtime::HostStop{})});
  EXPECT_FALSE(api.receive(context, context.deliver(foreign)));
  EXPECT_FALSE(api.receive(context, {Payload::of(runtime::HostStop{}), context.self(), 0, 77}));
}

TEST_F(ApiClientTest, TwoClientsOfOneActorTellTheirRepliesApart) {
  ApiClient first{{.qps = 0}};
  ApiClient second{{.qps = 0, .channel = 1}};
  get(first, "a");
  get(second, "b");
  const auto sent = context.sent_of<api::ApiRequest>();
  EXPECT_FALSE(first.receive(context, reply(sent[1]->request_id(), 200)));
  EXPECT_TRUE(second.receive(context, reply(sent[1]->request_id(), 200)));
  EXPECT_EQ(results.size(), 1u);
}

TEST(ApiClient, AWriteWhoseReplyIsLostWasAppliedAllTheSame) {
  ApiCluster cluster;
  cluster.network.lose = [](const testing::Wire& wire) {
    return wire.what.as<api::ApiReply>() != nullptr;
  };
  EXPECT_TRUE(cluster.create(pod("ns", "a")).timed_out());
  cluster.network.lose = [](const testing::Wire&) { return false; };
  EXPECT_NE(cluster.stored<k8s::Pod>("ns/a"), nullptr);
  EXPECT_TRUE(cluster.create(pod("ns", "a")).already_exists()) << "the caller's own retry";
}

TEST(ApiClient, AWriteThatIsLostWasNotApplied) {
  ApiCluster cluster;
  cluster.network.lose = [](const testing::Wire& wire) {
    return wire.what.as<api::ApiRequest>() != nullptr;
  };
  EXPECT_TRUE(cluster.create(pod("ns", "a")).timed_out());
  cluster.network.lose = [](const testing::Wire&) { return false; };
  EXPECT_EQ(cluster.stored<k8s::Pod>("ns/a"), nullptr);
}

}  // namespace
}  // namespace troupe
