#include "actors/api_client/event_recorder.h"

#include <gtest/gtest.h>

#include "messages/facts.pb.h"
#include "messages/k8s/core.pb.h"
#include "tests/support/api_cluster.h"
#include "tests/support/fake_context.h"

namespace troupe {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::FakeContext;
using testing::pod;

struct EventRecorderTest : ::testing::Test {
  FakeContext context;
  ApiClient api{{.qps = 0}};
  EventRecorder events{api, "kubelet"};

  [[nodiscard]] std::size_t sent(api::Verb verb) const {
    std::size_t count = 0;
    for (const auto* request : context.sent_of<api::ApiRequest>()) count += request->verb() == verb;
    return count;
  }
  void record(const std::string& message, const std::string& name = "a") {
    events.record(context, pod("ns", name), {"Warning", "FailedScheduling", message});
  }
};

TEST_F(EventRecorderTest, CountsTheSameEventOnTheFirst) {
  for (int i = 0; i < 3; ++i) record("0/3 nodes are available");
  EXPECT_EQ(sent(api::CREATE), 1u);
  EXPECT_EQ(sent(api::MERGE_PATCH), 2u);
  const auto* last = context.last_sent<api::ApiRequest>().attachments()[0].as<k8s::ObjectEvent>();
  EXPECT_EQ(last->count(), 3);
  EXPECT_EQ(context.facts_of<facts::ObjectEventRecorded>().size(), 3u);
  EXPECT_EQ(context.facts_of<facts::ObjectEventRecorded>()[0]->object(), "Pod/ns/a");
}

TEST_F(EventRecorderTest, PutsManySimilarEventsTogether) {
  for (int i = 0; i < 15; ++i) record(std::to_string(i) + " nodes are available");
  EXPECT_EQ(sent(api::CREATE), 11u) << "ten of their own and one for all others";
  EXPECT_EQ(sent(api::MERGE_PATCH), 4u);
}

TEST_F(EventRecorderTest, CutsOffAFloodAboutOneObject) {
  for (int i = 0; i < 100; ++i) record("the same");
  EXPECT_EQ(context.sent.size(), 25u);
  record("the same", "another");
  EXPECT_EQ(context.sent.size(), 26u);
  context.advance(5min);
  record("the same");
  EXPECT_EQ(context.sent.size(), 27u);
}

TEST_F(EventRecorderTest, MayTellTheFactAlone) {
  EventRecorder quiet{api, "kubelet", false};
  quiet.record(context, pod("ns", "a"), {"Normal", "Started", "Started container"});
  EXPECT_TRUE(context.sent.empty());
  EXPECT_EQ(context.facts.size(), 1u);
}

TEST(EventRecorder, MakesAnEventObjectThatNamesItsSubject) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  EventRecorder events{cluster.client().api, "kubelet"};
  cluster.network.as(ApiCluster::kClient, [&](Context& context) {
    events.record(context, *Payload::of(pod("ns", "a")).as<k8s::Pod>(),
                  {"Normal", "Started", "Started container main"});
  });
  cluster.network.run_for(1s);
  const ApiResult listed = cluster.list({.kind = "Event", .name_space = "ns"});
  ASSERT_EQ(listed.items.size(), 1u);
  const auto& event = *listed.items[0].as<k8s::ObjectEvent>();
  EXPECT_EQ(event.involved_object().kind(), "Pod");
  EXPECT_EQ(event.involved_object().name(), "a");
  EXPECT_EQ(event.source().component(), "kubelet");
  EXPECT_EQ(event.count(), 1);
}

}  // namespace
}  // namespace troupe
