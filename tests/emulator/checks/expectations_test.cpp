// When an expectation is decided, by the states that the store committed.
#include "emulator/checks/expectations.h"

#include <gtest/gtest.h>

#include "messages/facts.pb.h"
#include "messages/k8s/pod.pb.h"
#include "tests/emulator/report/facts.h"

namespace troupe::checks {
namespace {

// A run of ten seconds with one expectation on the phase of pods.
class Story {
 public:
  explicit Story(const std::function<void(config::Expectation&)>& adjust) {
    plan::RunPlan plan;
    plan.set_duration_ns(10'000'000'000);
    config::Expectation& spec = *plan.add_expectations();
    spec.set_select("Pod");
    spec.set_field("status.phase");
    spec.set_op("==");
    spec.set_value("\"Running\"");
    adjust(spec);
    expectations_ = std::make_unique<Expectations>(plan);
  }

  Story& phase(std::int64_t second, const std::string& pod, const std::string& phase) {
    k8s::Pod object;
    object.mutable_metadata()->set_namespace_("default");
    object.mutable_metadata()->set_name(pod);
    object.mutable_status()->set_phase(phase);
    return commit(second, object, false);
  }
  Story& gone(std::int64_t second, const std::string& pod) {
    k8s::Pod object;
    object.mutable_metadata()->set_namespace_("default");
    object.mutable_metadata()->set_name(pod);
    return commit(second, object, true);
  }
  Story& fact(std::int64_t second, const Payload& fact) {
    test::tell(*expectations_, second, fact);
    return *this;
  }
  ExpectationOutcome outcome(const nlohmann::json& summary = {},
                             const std::map<std::string, InvariantOutcome>& invariants = {}) {
    return expectations_->outcomes(from_ns(10'000'000'000), summary, invariants).at(0);
  }
  bool pass() { return outcome().pass; }

 private:
  Story& commit(std::int64_t second, const k8s::Pod& object, bool deleted) {
    facts::ObjectCommitted committed;
    committed.set_kind("Pod");
    committed.set_namespace_("default");
    committed.set_name(object.metadata().name());
    committed.set_deleted(deleted);
    return fact(second, Payload::of(std::move(committed), {Payload::of(object)}));
  }

  std::unique_ptr<Expectations> expectations_;
};

TEST(Expectations, WithoutATimeTheEndDecides) {
  const auto plain = [](config::Expectation&) {};
  EXPECT_TRUE(Story(plain).phase(1, "a", "Pending").phase(9, "a", "Running").pass());
  EXPECT_FALSE(Story(plain).phase(1, "a", "Running").phase(9, "a", "Failed").pass());
  EXPECT_FALSE(Story(plain).phase(1, "a", "Running").phase(2, "b", "Pending").pass());
  EXPECT_TRUE(Story(plain).phase(1, "a", "Running").phase(2, "b", "Pending").gone(3, "b").pass());
}

TEST(Expectations, AFieldOfNoObjectHoldsOfNothing) {
  Story run([](config::Expectation&) {});
  EXPECT_FALSE(run.pass());
  EXPECT_EQ(run.outcome().observed, "no such object");
}

TEST(Expectations, AtLooksAtTheStateThatItsOwnMomentLeft) {
  const auto at_5 = [](config::Expectation& spec) { spec.set_at("5s"); };
  EXPECT_TRUE(Story(at_5).phase(5, "a", "Running").phase(6, "a", "Failed").pass());
  EXPECT_FALSE(Story(at_5).phase(4, "a", "Running").phase(5, "a", "Failed").pass());
  EXPECT_FALSE(Story(at_5).phase(6, "a", "Running").pass());
}

TEST(Expectations, ByWantsOneMomentUntilThen) {
  const auto by_5 = [](config::Expectation& spec) { spec.set_by("5s"); };
  EXPECT_TRUE(Story(by_5).phase(2, "a", "Running").phase(3, "a", "Failed").pass());
  EXPECT_TRUE(Story(by_5).phase(5, "a", "Running").pass());
  EXPECT_FALSE(Story(by_5).phase(6, "a", "Running").pass());
}

TEST(Expectations, BySeesWhatHoldsFromTheStart) {
  Story run([](config::Expectation& spec) {
    spec.set_field("count");
    spec.set_value("0");
    spec.set_by("5s");
  });
  EXPECT_TRUE(run.phase(1, "a", "Running").pass());
}

TEST(Expectations, AlwaysAndNeverSeeEveryStateOfTheirSpan) {
  const auto always = [](config::Expectation& spec) {
    spec.add_always("2s");
    spec.add_always("5s");
  };
  EXPECT_TRUE(Story(always).phase(1, "a", "Running").phase(6, "a", "Failed").pass());
  EXPECT_FALSE(Story(always)
                   .phase(1, "a", "Running")
                   .phase(3, "a", "Failed")
                   .phase(3, "a", "Running")
                   .pass());
  EXPECT_FALSE(Story(always).phase(3, "a", "Running").pass());  // not at 2 s
  const auto never = [](config::Expectation& spec) {
    spec.add_never("2s");
    spec.add_never("5s");
  };
  EXPECT_TRUE(Story(never).phase(1, "a", "Running").phase(2, "a", "Failed").pass());
  EXPECT_FALSE(Story(never).phase(1, "a", "Running").phase(4, "a", "Failed").pass());
  EXPECT_FALSE(Story(never).phase(5, "a", "Running").pass());
}

TEST(Expectations, WithinCountsFromTheFirstSuchFact) {
  const auto within = [](config::Expectation& spec) {
    spec.set_within("2s");
    spec.set_after("NodeReady");
  };
  const Payload ready = Payload::of(facts::NodeReady{});
  EXPECT_TRUE(Story(within).fact(3, ready).phase(5, "a", "Running").pass());
  EXPECT_FALSE(Story(within).fact(3, ready).phase(6, "a", "Running").pass());
  EXPECT_FALSE(Story(within).phase(1, "a", "Running").pass());  // the fact never came
  EXPECT_TRUE(Story(within).phase(1, "a", "Running").fact(3, ready).pass());
  EXPECT_FALSE(Story(within).fact(1, ready).fact(5, ready).phase(6, "a", "Running").pass());
}

TEST(Expectations, CountsTheObjectsSelected) {
  const auto two = [](config::Expectation& spec) {
    spec.set_field("count");
    spec.set_value("2");
  };
  EXPECT_TRUE(Story(two).phase(1, "a", "Failed").phase(1, "b", "Running").pass());
  EXPECT_FALSE(Story(two).phase(1, "a", "Failed").phase(1, "b", "Running").gone(2, "b").pass());
}

TEST(Expectations, TheSummaryIsHeldAtTheEnd) {
  Story run([](config::Expectation& spec) {
    spec.set_select("summary");
    spec.set_field("gpu_minutes.stranded");
    spec.set_op("<=");
    spec.set_value("1");
  });
  EXPECT_TRUE(run.outcome({{"gpu_minutes", {{"stranded", 0.5}}}}).pass);
  EXPECT_FALSE(run.outcome({{"gpu_minutes", {{"stranded", 2}}}}).pass);
  EXPECT_EQ(run.outcome({{"gpu_minutes", {{"stranded", 2}}}}).observed, "2");
}

TEST(Expectations, AScenarioOfABugPassesOnlyIfItShows) {
  Story run([](config::Expectation& spec) {
    spec.Clear();
    spec.set_violates("bound-once");
  });
  EXPECT_FALSE(run.outcome({}, {{"bound-once", InvariantOutcome{}}}).pass);
  InvariantOutcome broken;
  broken.violations = 1;
  broken.first = "pod default/a was bound again";
  EXPECT_TRUE(run.outcome({}, {{"bound-once", broken}}).pass);
}

}  // namespace
}  // namespace troupe::checks
