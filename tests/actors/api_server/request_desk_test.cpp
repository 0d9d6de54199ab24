#include "actors/api_server/request_desk.h"

#include <gtest/gtest.h>

#include "actors/api_client/object_key.h"
#include "actors/api_server/defaults.h"
#include "messages/labels.h"
#include "messages/runtime.pb.h"
#include "tests/support/api_cluster.h"
#include "tests/support/fake_context.h"

namespace troupe::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::FakeContext;
using testing::pod;

struct RequestDeskTest : ::testing::Test {
  FakeContext context{"apiserver/0"};
  WatchCache cache{{}};
  RequestDesk desk{cache, address_of("apiserver/0/store")};

  RequestDeskTest() { cache.reset(10, {Payload::of(stored("10"))}); }

  static k8s::Pod stored(const std::string& version) {
    k8s::Pod one = pod("ns", "a");
    one.mutable_metadata()->set_uid("u");
    one.mutable_metadata()->set_resource_version(version);
    apply_defaults(one);
    return one;
  }
  void request(api::Verb verb, Payload body = {}) {
    api::ApiRequest message;
    message.set_request_id(1);
    message.set_verb(verb);
    *message.mutable_key() = key_for<k8s::Pod>("ns/a");
    std::vector<Payload> attachments;
    if (body) attachments.push_back(std::move(body));
    const Delivery delivery =
        context.deliver(Payload::of(message, std::move(attachments)), "controller/c/0");
    desk.handle(context, delivery, *delivery.as<api::ApiRequest>());
  }
  void label(const std::string& key) {
    k8s::Pod partial;
    partial.mutable_metadata()->set_namespace_("ns");
    partial.mutable_metadata()->set_name("a");
    set_label(*partial.mutable_metadata()->mutable_labels(), key, "1");
    request(api::MERGE_PATCH, Payload::of(partial));
  }
  void answer(bool committed, std::int64_t revision, const k8s::Pod& object) {
    api::StoreTxnReply reply;
    reply.set_txn_id(context.sent_of<api::StoreTxn>().back()->txn_id());
    reply.set_committed(committed);
    reply.set_revision(revision);
    const Delivery delivery = context.deliver(Payload::of(reply, {Payload::of(object)}));
    desk.on_txn_reply(context, delivery, *delivery.as<api::StoreTxnReply>());
  }
  [[nodiscard]] std::string version_sent() const {
    return meta_of(context.last_sent<api::StoreTxn>().attachments()[0].message())
        .resource_version();
  }
};

TEST_F(RequestDeskTest, ForetellsTheRevisionsOfWritesInFlight) {
  label("x");
  EXPECT_EQ(version_sent(), "11");
  label("y");
  EXPECT_EQ(version_sent(), "12");
  answer(true, 12, stored("12"));
  label("z");
  EXPECT_EQ(version_sent(), "14") << "12 is known, and the first is still in flight";
}

TEST_F(RequestDeskTest, ComputesAWriteAgainOnWhatTheStoreReturns) {
  label("x");
  k8s::Pod newer = stored("20");
  set_label(*newer.mutable_metadata()->mutable_labels(), "other", "1");
  answer(false, 20, newer);
  ASSERT_EQ(context.sent_of<api::StoreTxn>().size(), 2u);
  EXPECT_EQ(context.sent_of<api::StoreTxn>()[1]->expected_revision(), 20);
  EXPECT_EQ(meta_of(context.last_sent<api::StoreTxn>().attachments()[0].message()).labels_size(),
            2);
  EXPECT_EQ(version_sent(), "21");
}

TEST_F(RequestDeskTest, GivesUpAWriteThatNeverWins) {
  label("x");
  for (std::uint32_t i = 0; i < RequestDesk::kMaxAttempts; ++i) answer(false, 20 + i, stored("20"));
  ASSERT_EQ(context.sent_of<api::ApiReply>().size(), 1u);
  EXPECT_EQ(context.sent_of<api::ApiReply>()[0]->code(), 409);
}

TEST_F(RequestDeskTest, ChecksARefusalAgainstTheStoreBeforeItSendsIt) {
  k8s::Pod late = stored("11");  // the cache has 10, the client is ahead
  set_label(*late.mutable_metadata()->mutable_labels(), "x", "1");
  request(api::UPDATE, Payload::of(late));
  EXPECT_TRUE(context.sent_of<api::ApiReply>().empty());
  ASSERT_EQ(context.sent_of<api::StoreRead>().size(), 1u);
  api::StoreReadReply reply;
  reply.set_read_id(context.sent_of<api::StoreRead>()[0]->read_id());
  reply.set_revision(11);
  const Delivery delivery = context.deliver(Payload::of(reply, {Payload::of(stored("11"))}));
  desk.on_read_reply(context, delivery, *delivery.as<api::StoreReadReply>());
  EXPECT_EQ(context.sent_of<api::StoreTxn>().size(), 1u);
}

TEST_F(RequestDeskTest, TellsTheClientWhenTheStoreRefusesTheConnection) {
  label("x");
  desk.on_store_refused(context, context.last_sent<api::StoreTxn>());
  ASSERT_EQ(context.sent_of<api::ApiReply>().size(), 1u);
  EXPECT_EQ(context.sent_of<api::ApiReply>()[0]->code(), 500);
}

TEST_F(RequestDeskTest, ForgetsWhatTheStoreNeverAnswered) {
  label("x");
  desk.forget_old(context.now() + 59s);
  answer(true, 11, stored("11"));
  EXPECT_EQ(context.sent_of<api::ApiReply>().size(), 1u);
  label("y");
  desk.forget_old(context.now() + 61s);
  answer(true, 12, stored("12"));
  EXPECT_EQ(context.sent_of<api::ApiReply>().size(), 1u);
}

TEST_F(RequestDeskTest, RefusesAMalformedRequest) {
  request(api::CREATE);
  EXPECT_EQ(context.sent_of<api::ApiReply>().back()->code(), 400);
  request(api::CREATE, Payload::of(runtime::HostStop{}));
  EXPECT_EQ(context.sent_of<api::ApiReply>().back()->code(), 400);
  EXPECT_TRUE(context.sent_of<api::StoreTxn>().empty());
}

}  // namespace
}  // namespace troupe::apiserver
