#include "actors/serving/router_actor.h"

#include <gtest/gtest.h>

#include "tests/actors/serving/serving_cases.h"
#include "tests/support/api_stub.h"

namespace troupe::serving {
namespace {

using testing::FakeContext;
using testing::infer;
using testing::last_done;
using troupe::testing::ApiStub;
using namespace std::chrono_literals;

std::shared_ptr<const hosts::RouterConfig> config(const std::string& policy,
                                                  std::uint32_t queue_limit) {
  hosts::RouterConfig result;
  result.set_service("default/llm");
  result.set_policy(policy);
  result.set_queue_limit(queue_limit);
  return std::make_shared<const hosts::RouterConfig>(std::move(result));
}

class Router : public ::testing::Test {
 protected:
  explicit Router(const std::string& policy = "round-robin")
      : api_(context_), actor_(config(policy, 2)) {
    actor_.start(context_);
    api_.serve(actor_);
  }
  /// The Service's endpoints from now on: "a" is ready, "-a" is there but not ready.
  void endpoints(const std::vector<std::string>& names) {
    k8s::EndpointSlice slice;
    slice.mutable_metadata()->set_namespace_("default");
    slice.mutable_metadata()->set_name("llm-x");
    for (const std::string& name : names) {
      k8s::Endpoint& endpoint = *slice.add_endpoints();
      endpoint.add_addresses(path(name.back()));
      endpoint.mutable_conditions()->set_ready(name.size() == 1);
    }
    api_.put(slice);
    api_.serve(actor_);
  }
  static std::string path(char pod) { return std::string("node/n/pod/") + pod; }
  void tell(Payload what, std::string_view from) {
    actor_.receive(context_, context_.deliver(std::move(what), from));
  }
  void ask(std::uint64_t id) { tell(infer(id, 100, 10), "load/l"); }
  /// Pods to which requests were sent, in order: "aab".
  std::string asked() {
    std::string pods;
    for (const auto& sent : context_.sent) {
      if (sent.what.as<InferRequest>() == nullptr) continue;
      for (char pod = 'a'; pod <= 'z'; ++pod) {
        if (sent.to.actor == address_of(path(pod)).actor) pods += pod;
      }
    }
    return pods;
  }
  std::uint64_t attempt() { return context_.sent_of<InferRequest>().back()->request_id(); }
  void finish(std::uint64_t id, char pod, InferDone::Outcome outcome = InferDone::COMPLETED,
              std::uint32_t code = 200) {
    InferDone done;
    done.set_request_id(id);
    done.set_outcome(outcome);
    done.set_code(code);
    tell(Payload::of(std::move(done)), path(pod));
  }
  void first_token(std::uint64_t id, char pod) {
    FirstToken token;
    token.set_request_id(id);
    tell(Payload::of(std::move(token)), path(pod));
  }
  void refuse_last(char pod) {
    tell(testing::refusal_of(context_.last_sent<InferRequest>()), path(pod));
  }
  facts::RouterTotals totals() { return *context_.facts_of<facts::RouterTotals>().back(); }

  FakeContext context_{"router/r"};
  ApiStub api_;
  RouterActor actor_;
};

class LeastRequestRouter : public Router {
 protected:
  LeastRequestRouter() : Router("least-request") {}
};

TEST_F(Router, TakesReadyEndpointsInTurn) {
  endpoints({"a", "-b", "c"});
  for (std::uint64_t id = 1; id <= 4; ++id) ask(id);
  EXPECT_EQ(asked(), "acac");
}

TEST_F(LeastRequestRouter, TakesTheEndpointWithTheFewestOpenRequestsAndEqualOnesInTurn) {
  endpoints({"a", "b"});
  ask(1);
  const std::uint64_t at_a = attempt();
  ask(2);
  ask(3);
  ask(4);
  EXPECT_EQ(asked(), "abab");
  finish(at_a, 'a');
  ask(5);
  EXPECT_EQ(asked(), "ababa");
}

TEST_F(Router, RelaysTokensAndEndsUnderTheClientsId) {
  endpoints({"a"});
  ask(77);
  first_token(attempt(), 'a');
  EXPECT_EQ(context_.sent_of<FirstToken>().back()->request_id(), 77u);
  finish(attempt(), 'a');
  EXPECT_EQ(last_done(context_).request_id(), 77u);
  EXPECT_EQ(totals().received(), 1u);
  EXPECT_EQ(totals().completed(), 1u);
  EXPECT_EQ(totals().open(), 0u);
}

TEST_F(Router, HoldsRequestsWhileNobodyIsReadyAndSendsThemInOrder) {
  ask(1);
  ask(2);
  EXPECT_EQ(asked(), "");
  endpoints({"a"});
  ASSERT_EQ(asked(), "aa");
  EXPECT_LT(context_.sent_of<InferRequest>()[0]->trace(),
            context_.sent_of<InferRequest>()[1]->trace());
}

TEST_F(Router, TurnsAwayWhatItsQueueCannotHold) {
  for (std::uint64_t id = 1; id <= 3; ++id) ask(id);
  ASSERT_EQ(context_.sent_of<InferDone>().size(), 1u);
  EXPECT_EQ(last_done(context_).request_id(), 3u);
  EXPECT_EQ(last_done(context_).outcome(), InferDone::REJECTED);
  EXPECT_EQ(last_done(context_).code(), 503u);
}

TEST_F(Router, TriesAnotherEndpointWhenTheConnectionIsRefused) {
  endpoints({"a", "b"});
  ask(1);
  refuse_last('a');
  EXPECT_EQ(asked(), "ab");
  refuse_last('b');
  EXPECT_EQ(asked(), "ab");  // all have refused: it waits for news
  EXPECT_TRUE(context_.sent_of<InferDone>().empty());
  endpoints({"a", "b", "c"});
  EXPECT_EQ(asked().size(), 3u);
}

TEST_F(Router, TriesAnotherEndpointAfterAResetBeforeTheFirstTokenOnly) {
  endpoints({"a", "b"});
  ask(1);
  finish(attempt(), 'a', InferDone::FAILED, 0);
  EXPECT_EQ(asked(), "ab");
  first_token(attempt(), 'b');
  finish(attempt(), 'b', InferDone::FAILED, 0);
  EXPECT_EQ(asked(), "ab");
  EXPECT_EQ(last_done(context_).outcome(), InferDone::FAILED);
  EXPECT_EQ(totals().failed(), 1u);
}

TEST_F(Router, PassesOnWhatTheEngineRejects) {
  endpoints({"a", "b"});
  ask(1);
  finish(attempt(), 'a', InferDone::REJECTED, 400);
  EXPECT_EQ(last_done(context_).code(), 400u);
  EXPECT_EQ(totals().rejected(), 1u);
}

TEST_F(Router, IgnoresWhatAnEarlierAttemptStillSays) {
  endpoints({"a", "b"});
  ask(1);
  const std::uint64_t first = attempt();
  refuse_last('a');
  finish(first, 'a');
  EXPECT_TRUE(context_.sent_of<InferDone>().empty());
}

TEST_F(Router, ForwardsAHangUpToTheEndpoint) {
  endpoints({"a"});
  ask(1);
  CancelRequest cancel;
  cancel.set_request_id(1);
  tell(Payload::of(std::move(cancel)), "load/l");
  ASSERT_EQ(context_.sent_of<CancelRequest>().size(), 1u);
  EXPECT_EQ(context_.sent_of<CancelRequest>()[0]->request_id(), attempt());
  EXPECT_EQ(totals().cancelled(), 1u);
  finish(attempt(), 'a');
  EXPECT_TRUE(context_.sent_of<InferDone>().empty());
}

TEST_F(Router, DropsAWaitingRequestWhoseClientHangsUp) {
  ask(1);
  CancelRequest cancel;
  cancel.set_request_id(1);
  tell(Payload::of(std::move(cancel)), "load/l");
  endpoints({"a"});
  EXPECT_EQ(asked(), "");
}

TEST_F(Router, ChecksOpenConnectionsOfAnEndpointThatWentAway) {
  endpoints({"a", "b"});
  ask(1);
  endpoints({"-a", "b"});
  ASSERT_EQ(context_.sent_of<CheckConnection>().size(), 1u);
  EXPECT_EQ(asked(), "a");  // it may well finish there
  tell(testing::refusal_of(context_.last_sent<CheckConnection>()), path('a'));
  EXPECT_EQ(asked(), "ab");
}

TEST_F(Router, FailsARequestWhoseConnectionIsLostAfterItsFirstToken) {
  endpoints({"a", "b"});
  ask(1);
  first_token(attempt(), 'a');
  endpoints({"b"});
  tell(testing::refusal_of(context_.last_sent<CheckConnection>()), path('a'));
  EXPECT_EQ(last_done(context_).outcome(), InferDone::FAILED);
}

TEST_F(Router, GivesUpOnARequestThatIsAlwaysRefused) {
  endpoints({"a"});
  ask(1);
  for (int i = 0; i < 20 && context_.sent_of<InferDone>().empty(); ++i) {
    refuse_last('a');
    endpoints({"a"});
  }
  EXPECT_EQ(last_done(context_).outcome(), InferDone::REJECTED);
}

TEST_F(Router, ReportsItsTotalsOnceAMinuteWhileRequestsAreOpen) {
  ask(1);
  ask(2);
  EXPECT_TRUE(context_.facts_of<facts::RouterTotals>().empty());
  api_.run(actor_, 1min);
  ASSERT_EQ(context_.facts_of<facts::RouterTotals>().size(), 1u);
  EXPECT_EQ(totals().received(), 2u);
  EXPECT_EQ(totals().open(), 2u);
}

}  // namespace
}  // namespace troupe::serving
