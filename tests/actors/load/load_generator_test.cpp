#include "actors/load/load_generator.h"

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "messages/assert.h"
#include "messages/facts.pb.h"
#include "messages/fault.pb.h"
#include "messages/runtime.pb.h"
#include "tests/actors/load/load_fixture.h"
#include "tests/support/fake_context.h"

namespace troupe::load {
namespace {

using namespace std::chrono_literals;
using facts::RequestEnded;
using serving::InferDone;

// A load at `load/chat` whose router the test plays.
class LoadGeneratorTest : public ::testing::Test {
 protected:
  LoadGeneratorTest() {
    config.set_service("prod/llama");
    config.set_router("router/llama");
    config.set_model("llama");
    config.set_timeout_ns(ns_of(30s));
  }

  // One request at each of these times.
  void trace_of(const std::vector<std::chrono::milliseconds>& times) {
    Trace& trace = *config.mutable_trace();
    std::chrono::milliseconds last{0};
    for (const auto time : times) {
      trace.add_gap_ns(ns_of(time - last));
      trace.add_prompt_tokens(100);
      trace.add_output_tokens(11);
      last = time;
    }
  }
  void begin() {
    actor = make_load_generator(Payload::of(runtime::HostStart{}, {Payload::of(config)}));
    actor->start(context);
    context.run_timers(*actor, 0s);
  }
  void pass(Duration time) { context.run_timers(*actor, time); }

  [[nodiscard]] const serving::InferRequest& last_request() const {
    return *context.sent_of<serving::InferRequest>().back();
  }
  void first_token(std::uint64_t id) {
    serving::FirstToken token;
    token.set_request_id(id);
    actor->receive(context, context.deliver(Payload::of(token), "router/llama"));
  }
  void done(std::uint64_t id, InferDone::Outcome outcome = InferDone::COMPLETED,
            std::uint32_t code = 200) {
    InferDone reply;
    reply.set_request_id(id);
    reply.set_outcome(outcome);
    reply.set_code(code);
    reply.set_reason("because");
    reply.set_output_tokens(outcome == InferDone::COMPLETED ? 11 : 0);
    actor->receive(context, context.deliver(Payload::of(reply), "router/llama"));
  }
  void refuse(const serving::InferRequest& request) {
    actor->receive(
        context, context.deliver(Payload::of(runtime::ConnectionRefused{}, {Payload::of(request)}),
                                 "router/llama"));
  }
  [[nodiscard]] std::vector<const RequestEnded*> ended() const {
    return context.facts_of<RequestEnded>();
  }

  LoadConfig config;
  testing::FakeContext context{"load/chat"};
  std::unique_ptr<Actor> actor;
};

TEST_F(LoadGeneratorTest, IssuesATraceAtItsTimesWithOneTimer) {
  trace_of({0ms, 0ms, 1500ms});
  config.set_timeout_ns(0);
  begin();
  EXPECT_EQ(context.sent_of<serving::InferRequest>().size(), 2U);
  EXPECT_EQ(context.timers.size(), 1U);
  pass(1499ms);
  EXPECT_EQ(context.sent_of<serving::InferRequest>().size(), 2U);
  pass(1ms);
  EXPECT_EQ(context.sent_of<serving::InferRequest>().size(), 3U);
  EXPECT_TRUE(context.timers.empty());
  EXPECT_EQ(context.sent.back().to, address_of("router/llama"));
  EXPECT_EQ(context.sent.back().via.link, Link::DataPlane);
}

TEST_F(LoadGeneratorTest, ASpikeAsksSeveralTimesSpreadOverTheTimeToTheNext) {
  trace_of({1000ms, 5000ms, 9000ms});
  begin();
  fault::SpikeLoad spike;
  spike.set_factor_permille(2500);
  actor->receive(context, context.deliver(Payload::of(spike), ""));
  pass(1s);
  EXPECT_EQ(context.sent_of<serving::InferRequest>().size(), 1u);
  pass(2s);  // half of the gap: one and a half more each time, so one now
  EXPECT_EQ(context.sent_of<serving::InferRequest>().size(), 2u);
  pass(2s);
  EXPECT_EQ(context.sent_of<serving::InferRequest>().size(), 3u);
  pass(4s);  // and two now; the last has no next one, so its copy comes at once
  EXPECT_EQ(context.sent_of<serving::InferRequest>().size(), 7u);
  spike.set_factor_permille(1000);
  actor->receive(context, context.deliver(Payload::of(spike), ""));
  pass(10s);
  EXPECT_EQ(context.facts_of<facts::RequestIssued>().size(), 7u);
}

TEST_F(LoadGeneratorTest, SaysWhatItAsks) {
  trace_of({0ms});
  begin();
  EXPECT_EQ(last_request().prompt_tokens(), 100U);
  EXPECT_EQ(last_request().output_tokens(), 11U);
  EXPECT_EQ(last_request().model(), "llama");
  const auto issued = context.facts_of<facts::RequestIssued>();
  ASSERT_EQ(issued.size(), 1U);
  EXPECT_EQ(issued[0]->service(), "prod/llama");
  EXPECT_EQ(issued[0]->prompt_tokens(), 100U);
  EXPECT_EQ(last_request().trace(), issued[0]->request());
}

TEST_F(LoadGeneratorTest, MeasuresFromTheIssue) {
  trace_of({0ms});
  begin();
  pass(200ms);
  first_token(last_request().request_id());
  pass(1s);
  done(last_request().request_id());
  const auto first = context.facts_of<facts::RequestFirstToken>();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0]->ttft_ns(), ns_of(200ms));
  ASSERT_EQ(ended().size(), 1U);
  EXPECT_EQ(ended()[0]->outcome(), RequestEnded::COMPLETED);
  EXPECT_EQ(ended()[0]->ttft_ns(), ns_of(200ms));
  EXPECT_EQ(ended()[0]->e2e_ns(), ns_of(1200ms));
  EXPECT_EQ(ended()[0]->tpot_ns(), ns_of(100ms));  // 1 s over the ten tokens after the first
  EXPECT_EQ(ended()[0]->output_tokens(), 11U);
  EXPECT_EQ(ended()[0]->request(), first[0]->request());
  EXPECT_TRUE(context.timers.empty()) << "its patience is no longer needed";
}

TEST_F(LoadGeneratorTest, AnEndThatOvertakesItsFirstTokenCountsAsBoth) {
  trace_of({0ms});
  begin();
  pass(300ms);
  done(last_request().request_id());
  first_token(last_request().request_id());
  EXPECT_EQ(context.facts_of<facts::RequestFirstToken>().size(), 1U);
  EXPECT_EQ(ended().at(0)->ttft_ns(), ns_of(300ms));
  EXPECT_EQ(ended().at(0)->tpot_ns(), 0);
}

TEST_F(LoadGeneratorTest, HangsUpWhenItsPatienceEnds) {
  trace_of({0ms});
  begin();
  pass(30s);
  ASSERT_EQ(ended().size(), 1U);
  EXPECT_EQ(ended()[0]->outcome(), RequestEnded::TIMED_OUT);
  EXPECT_EQ(ended()[0]->e2e_ns(), ns_of(30s));
  EXPECT_EQ(ended()[0]->ttft_ns(), 0);
  const auto cancelled = context.sent_of<serving::CancelRequest>();
  ASSERT_EQ(cancelled.size(), 1U);
  EXPECT_EQ(cancelled[0]->request_id(), last_request().request_id());
}

TEST_F(LoadGeneratorTest, NothingEndsTwice) {
  trace_of({0ms});
  begin();
  const std::uint64_t id = last_request().request_id();
  pass(30s);
  first_token(id);
  done(id);
  refuse(last_request());
  EXPECT_EQ(ended().size(), 1U);
  EXPECT_TRUE(context.facts_of<facts::RequestFirstToken>().empty());
}

TEST_F(LoadGeneratorTest, ASecondFirstTokenIsNoNews) {
  trace_of({0ms});
  begin();
  first_token(last_request().request_id());
  first_token(last_request().request_id());
  EXPECT_EQ(context.facts_of<facts::RequestFirstToken>().size(), 1U);
}

TEST_F(LoadGeneratorTest, WithoutPatienceItWaitsForEver) {
  trace_of({0ms});
  config.set_timeout_ns(0);
  begin();
  pass(24h);
  EXPECT_TRUE(ended().empty());
}

TEST_F(LoadGeneratorTest, TellsRejectedFromFailed) {
  trace_of({0ms, 1ms, 2ms});
  begin();
  done(last_request().request_id(), InferDone::REJECTED, 429);
  pass(1ms);
  done(last_request().request_id(), InferDone::FAILED, 500);
  pass(1ms);
  refuse(last_request());
  ASSERT_EQ(ended().size(), 3U);
  EXPECT_EQ(ended()[0]->outcome(), RequestEnded::REJECTED);
  EXPECT_EQ(ended()[0]->reason(), "because");
  EXPECT_EQ(ended()[1]->outcome(), RequestEnded::FAILED);
  EXPECT_EQ(ended()[2]->outcome(), RequestEnded::FAILED);
  EXPECT_EQ(ended()[2]->reason(), "connection refused");
}

class RetryingLoad : public LoadGeneratorTest {
 protected:
  RetryingLoad() {
    config.mutable_retry()->set_retries(2);
    context.fixed_random = 0;  // no jitter
    trace_of({0ms});
  }
};

TEST_F(RetryingLoad, AsksAgainAfterItsBackoff) {
  begin();
  const std::uint64_t first = last_request().request_id();
  done(first, InferDone::REJECTED, 503);
  EXPECT_TRUE(ended().empty());
  pass(500ms);
  EXPECT_EQ(context.sent_of<serving::InferRequest>().size(), 2U);
  EXPECT_NE(last_request().request_id(), first);
  pass(100ms);
  first_token(last_request().request_id());
  done(last_request().request_id());
  EXPECT_EQ(context.facts_of<facts::RequestIssued>().size(), 1U);
  ASSERT_EQ(ended().size(), 1U);
  EXPECT_EQ(ended()[0]->ttft_ns(), ns_of(600ms)) << "its client has waited since the first attempt";
}

TEST_F(RetryingLoad, GivesUpAfterItsLastAttempt) {
  begin();
  for (int attempt = 0; attempt < 3; ++attempt) {
    refuse(last_request());
    pass(5s);
  }
  EXPECT_EQ(context.sent_of<serving::InferRequest>().size(), 3U);
  ASSERT_EQ(ended().size(), 1U);
  EXPECT_EQ(ended()[0]->outcome(), RequestEnded::FAILED);
}

TEST_F(RetryingLoad, RepeatsNeitherABadRequestNorAnAnswerThatHadBegun) {
  begin();
  first_token(last_request().request_id());
  done(last_request().request_id(), InferDone::FAILED, 0);
  EXPECT_EQ(ended().size(), 1U);
  actor.reset();
  context.clear();
  begin();
  done(last_request().request_id(), InferDone::REJECTED, 400);
  EXPECT_EQ(ended().size(), 1U);
  EXPECT_EQ(context.sent_of<serving::InferRequest>().size(), 1U);
}

TEST_F(RetryingLoad, TheReplyToAnEarlierAttemptIsIgnored) {
  begin();
  const std::uint64_t first = last_request().request_id();
  done(first, InferDone::REJECTED, 503);
  pass(500ms);
  done(first);
  EXPECT_TRUE(ended().empty());
}

TEST_F(RetryingLoad, PatienceEndsAlsoBetweenAttempts) {
  config.set_timeout_ns(ns_of(300ms));
  begin();
  done(last_request().request_id(), InferDone::REJECTED, 503);
  pass(10s);
  ASSERT_EQ(ended().size(), 1U);
  EXPECT_EQ(ended()[0]->outcome(), RequestEnded::TIMED_OUT);
  EXPECT_TRUE(context.sent_of<serving::CancelRequest>().empty()) << "nothing is under way";
  EXPECT_EQ(context.sent_of<serving::InferRequest>().size(), 1U);
}

class ClosedLoopLoad : public LoadGeneratorTest {
 protected:
  ClosedLoopLoad() {
    Generator& generator = *config.mutable_generator();
    generator.set_duration_ns(ns_of(10s));
    *generator.mutable_lengths()->mutable_prompt() = constant_tokens(100);
    *generator.mutable_lengths()->mutable_output() = constant_tokens(11);
    ClosedLoop& loop = *generator.mutable_arrivals()->mutable_closed_loop();
    loop.set_users(2);
    loop.set_ramp_ns(ns_of(2s));
    loop.mutable_think()->set_a_ns(ns_of(3s));
  }
  std::size_t asked() const { return context.sent_of<serving::InferRequest>().size(); }
};

TEST_F(ClosedLoopLoad, UsersAppearOneByOne) {
  begin();
  EXPECT_EQ(asked(), 1U);
  pass(1s);
  EXPECT_EQ(asked(), 2U);
  pass(5s);
  EXPECT_EQ(asked(), 2U) << "both wait for their answers";
}

TEST_F(ClosedLoopLoad, AUserThinksBeforeAskingAgain) {
  begin();
  done(last_request().request_id());
  pass(2s);  // the second user has appeared at 1 s
  EXPECT_EQ(asked(), 2U);
  pass(1s);
  EXPECT_EQ(asked(), 3U);
}

TEST_F(ClosedLoopLoad, AUserWhoHungUpThinksAndAsksAgain) {
  config.set_timeout_ns(ns_of(2s));
  begin();
  pass(5s);
  EXPECT_EQ(asked(), 3U);
  EXPECT_EQ(ended().size(), 2U);
}

TEST_F(ClosedLoopLoad, NobodyAsksAfterItsEnd) {
  begin();
  pass(9s);
  done(last_request().request_id());
  pass(1h);
  EXPECT_EQ(asked(), 2U);
}

TEST_F(LoadGeneratorTest, RequestsOfTwoLoadsHaveDifferentNames) {
  trace_of({0ms, 0ms});
  begin();
  testing::FakeContext other{"load/batch"};
  const auto batch = make_load_generator(Payload::of(runtime::HostStart{}, {Payload::of(config)}));
  batch->start(other);
  other.run_timers(*batch, 0s);
  std::set<std::uint64_t> ids;
  for (const auto* fact : context.facts_of<facts::RequestIssued>()) ids.insert(fact->request());
  for (const auto* fact : other.facts_of<facts::RequestIssued>()) ids.insert(fact->request());
  EXPECT_EQ(ids.size(), 4U);
}

TEST_F(LoadGeneratorTest, RefusesToStartWithoutAConfiguration) {
  EXPECT_THROW(static_cast<void>(make_load_generator(Payload::of(runtime::HostStart{}))),
               ContractViolation);
}

}  // namespace
}  // namespace troupe::load
