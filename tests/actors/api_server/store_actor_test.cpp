#include "actors/api_server/store_actor.h"

#include <gtest/gtest.h>

#include "actors/api_client/object_key.h"
#include "messages/facts.pb.h"
#include "tests/support/api_cluster.h"
#include "tests/support/fake_context.h"

namespace troupe::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::FakeContext;
using testing::pod;

struct StoreActorTest : ::testing::Test {
  FakeContext context{"apiserver/0/store"};
  StoreActor store{StoreActor::Options{}};

  void send(Payload what, std::string_view from = "apiserver/0") {
    store.receive(context, context.deliver(std::move(what), from));
  }
  void write(const k8s::Pod& object, std::int64_t expected) {
    api::StoreTxn txn;
    *txn.mutable_key() = key_of(object);
    txn.set_expected_revision(expected);
    send(Payload::of(txn, {Payload::of(object)}));
  }
  void subscribe(std::int64_t after, std::string_view from = "apiserver/1") {
    api::StoreSubscribe request;
    request.set_after_revision(after);
    request.set_stream(7);
    send(Payload::of(request), from);
  }
};

TEST_F(StoreActorTest, SendsASnapshotAndThenEveryChange) {
  write(pod("ns", "a"), 0);
  subscribe(0);
  ASSERT_EQ(context.sent_of<api::StoreSnapshot>().size(), 1u);
  EXPECT_EQ(context.last_sent<api::StoreSnapshot>().attachments().size(), 1u);
  write(pod("ns", "b"), 0);
  ASSERT_EQ(context.sent_of<api::StoreEvent>().size(), 1u);
  EXPECT_EQ(context.sent_of<api::StoreEvent>()[0]->revision(), 2);
  EXPECT_EQ(context.sent.back().via.stream, 7u);
}

TEST_F(StoreActorTest, ASubscriberThatKnowsPartGetsTheRest) {
  for (const char* name : {"a", "b", "c"}) write(pod("ns", name), 0);
  subscribe(1);
  EXPECT_TRUE(context.sent_of<api::StoreSnapshot>().empty());
  ASSERT_EQ(context.sent_of<api::StoreEvent>().size(), 2u);
  EXPECT_EQ(context.sent_of<api::StoreEvent>()[0]->revision(), 2);
}

TEST_F(StoreActorTest, ASubscriberThatKnowsTooLittleGetsASnapshot) {
  write(pod("ns", "a"), 0);
  context.advance(10min);
  write(pod("ns", "b"), 0);
  write(pod("ns", "c"), 0);
  subscribe(1);  // still there: the change after it is the oldest in the log
  EXPECT_TRUE(context.sent_of<api::StoreSnapshot>().empty());
  context.advance(10min);
  write(pod("ns", "d"), 0);
  subscribe(1);
  EXPECT_EQ(context.sent_of<api::StoreSnapshot>().size(), 1u);
}

TEST_F(StoreActorTest, AFailedWriteIsAnsweredWithTheObjectThatIsThere) {
  write(pod("ns", "a"), 0);
  context.clear();
  write(pod("ns", "a"), 0);
  ASSERT_EQ(context.sent_of<api::StoreTxnReply>().size(), 1u);
  EXPECT_FALSE(context.sent_of<api::StoreTxnReply>()[0]->committed());
  ASSERT_EQ(context.last_sent<api::StoreTxnReply>().attachments().size(), 1u);
  EXPECT_TRUE(context.facts.empty());
}

TEST_F(StoreActorTest, ComesBackFromWhatItPersisted) {
  write(pod("ns", "a"), 0);
  write(pod("ns", "b"), 0);
  api::StoreTxn removal;
  *removal.mutable_key() = key_for<k8s::Pod>("ns", "b");
  removal.set_expected_revision(2);
  send(Payload::of(removal));

  runtime::Restored restored;
  for (const auto& [key, value] : context.persisted) {
    auto& entry = *restored.add_entries();
    entry.set_key(key);
    entry.set_value(value);
  }
  StoreActor again{StoreActor::Options{.preload = {Payload::of(pod("ns", "preloaded"))}}};
  again.receive(context, context.deliver(Payload::of(restored), ""));
  EXPECT_EQ(again.store().revision(), 3);
  EXPECT_EQ(again.store().get(key_for<k8s::Pod>("ns", "a")).revision, 1);
  EXPECT_EQ(again.store().list("Pod").size(), 1u);
}

TEST_F(StoreActorTest, BeginsWithItsPreloadedObjects) {
  StoreActor full{StoreActor::Options{.preload = {Payload::of(pod("ns", "p"))}}};
  api::StoreSubscribe request;
  full.receive(context, context.deliver(Payload::of(request), "apiserver/0"));
  EXPECT_EQ(full.store().revision(), 1);
  EXPECT_EQ(context.facts_of<facts::PodCreated>().size(), 1u);
  EXPECT_TRUE(context.persisted.contains("Pod/ns/p"));
}

TEST_F(StoreActorTest, TellsTheFactsOfAPodsLife) {
  k8s::Pod one = pod("ns", "a");
  auto& amount = *one.mutable_spec()->mutable_containers(0)->mutable_resources()->add_limits();
  amount.set_name("nvidia.com/gpu");
  amount.set_quantity("2");
  write(one, 0);
  ASSERT_EQ(context.facts_of<facts::PodCreated>().size(), 1u);
  EXPECT_EQ(context.facts_of<facts::PodCreated>()[0]->milli_gpu(), 2000);
  one.mutable_spec()->set_node_name("n1");
  write(one, 1);
  ASSERT_EQ(context.facts_of<facts::PodBound>().size(), 1u);
  EXPECT_EQ(context.facts_of<facts::PodBound>()[0]->node(), "n1");
  one.mutable_metadata()->set_deletion_timestamp(30);
  write(one, 2);
  EXPECT_EQ(context.facts_of<facts::PodDeletionRequested>().size(), 1u);
  EXPECT_EQ(context.facts_of<facts::PodBound>().size(), 1u);
  EXPECT_EQ(context.facts_of<facts::ObjectCommitted>().size(), 3u);
}

TEST_F(StoreActorTest, PassesNodeLeasesOnWithoutARevision) {
  subscribe(0, "apiserver/0");
  subscribe(0, "apiserver/1");
  api::RenewNodeLease renewal;
  renewal.set_node("n1");
  send(Payload::of(renewal));
  EXPECT_EQ(context.sent_of<api::NodeLeaseRenewed>().size(), 2u);
  EXPECT_EQ(store.store().revision(), 0);
}

}  // namespace
}  // namespace troupe::apiserver
