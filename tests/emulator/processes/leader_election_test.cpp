// Controllers with replicas, in a whole run: who acts, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "emulator/config/scenario_loader.h"
#include "emulator/journal/journal_file.h"
#include "emulator/processes/execute.h"
#include "messages/envelope.h"
#include "messages/facts.pb.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct SeenFact {
  SimTime time;
  std::string actor;
  Payload fact;
};

class LeaderElectionTest : public testing::Test {
 protected:
  LeaderElectionTest() {
    std::string name = testing::TempDir() + "leader-election-" + std::string(6, 'X');
    folder_ = mkdtemp(name.data());
  }
  ~LeaderElectionTest() override { fs::remove_all(folder_); }

  std::vector<SeenFact> facts_of(const std::string& scenario, const std::string& variant,
                                 const std::vector<std::string>& sets = {}) {
    const config::LoadedScenario loaded = config::load_scenario(
        fs::path(TROUPE_SOURCE_DIR) / "scenarios" / scenario, {.variant = variant, .sets = sets});
    EXPECT_TRUE(loaded.ok()) << manifests::to_string(loaded.diagnostics);
    fs::remove_all(folder_ / "journal");
    ExecuteOptions options;
    options.journal = folder_ / "journal";
    const Result<ExecuteResult> result = execute(loaded.plan, options);
    EXPECT_TRUE(result && !result->defect);
    std::vector<SeenFact> facts;
    const Result<JournalContent> content = read_journal(folder_ / "journal");
    for (const journal::Record& record : content->records) {
      if (!record.has_fact()) continue;
      const Result<Payload> payload = from_envelope(record.fact().fact());
      facts.push_back({from_ns(record.fact().key().time_ns()), record.fact().actor(), *payload});
    }
    return facts;
  }

  fs::path folder_;
};

/// Pods that each actor said it had bound in that time.
std::map<std::string, std::set<std::string>> bound_by(const std::vector<SeenFact>& facts,
                                                      SimTime from, SimTime to,
                                                      const std::string& reason) {
  std::map<std::string, std::set<std::string>> pods;
  for (const SeenFact& one : facts) {
    const auto* event = one.fact.as<facts::ObjectEventRecorded>();
    if (event == nullptr || event->reason() != reason || one.time < from || one.time > to) continue;
    pods[one.actor].insert(event->object());
  }
  return pods;
}

TEST_F(LeaderElectionTest, InAnOverlapBothScheduleAndEachPodIsBoundOnce) {
  const std::vector<SeenFact> facts = facts_of("faults/leader-election.yaml", "overlap");
  const auto scheduled = bound_by(facts, kTimeZero + 90s, kTimeZero + 120s, "Scheduled");
  ASSERT_EQ(scheduled.size(), 2u) << "both replicas acted";
  std::size_t total = 0;
  for (const auto& [actor, pods] : scheduled) total += pods.size();
  EXPECT_EQ(total, 12u) << "each pod by one of them";
  const auto rejected = bound_by(facts, kTimeZero + 90s, kTimeZero + 120s, "FailedScheduling");
  EXPECT_FALSE(rejected.empty()) << "409: the other one was faster";
  std::set<std::string> uids;
  for (const SeenFact& one : facts) {
    const auto* bound = one.fact.as<facts::PodBound>();
    if (bound == nullptr) continue;
    EXPECT_TRUE(uids.insert(bound->uid()).second) << bound->name();
  }
  const auto lost = std::ranges::find_if(
      facts, [](const SeenFact& one) { return one.fact.as<facts::LeaseLost>() != nullptr; });
  ASSERT_NE(lost, facts.end());
  EXPECT_EQ(lost->actor, "controller/kube-scheduler/0");
  EXPECT_GE(lost->time, kTimeZero + 120s);
}

// With every seed: 15 s from the last renewal, which is up to 2 s old; seen and tried for up to
// 4.4 s late each.
TEST_F(LeaderElectionTest, AnotherLeadsOnceTheLeaseOfADeadLeaderHasRunOut) {
  for (const std::string seed : {"seed=1", "seed=2", "seed=3", "seed=4"}) {
    const std::vector<SeenFact> undisturbed =
        facts_of("faults/leader-election.yaml", "crash", {seed, "faults=[]", "expect=[]"});
    const SeenFact& first = *std::ranges::find_if(undisturbed, [](const SeenFact& one) {
      return one.fact.as<facts::LeaseAcquired>() != nullptr;
    });
    SimTime taken;
    for (const SeenFact& one : facts_of("faults/leader-election.yaml", "crash",
                                        {seed, "faults.0.crash.host=" + first.actor})) {
      const auto* acquired = one.fact.as<facts::LeaseAcquired>();
      if (acquired != nullptr && acquired->transitions() > 0) taken = one.time;
    }
    EXPECT_GE(taken, kTimeZero + 73s) << seed;
    EXPECT_LE(taken, kTimeZero + 84s) << seed;
  }
}

// As all do but kube-scheduler: they begin when they lead, and exit when they have lost.
TEST_F(LeaderElectionTest, AControllerThatHasLostExitsAndStandsInLineAgain) {
  const std::vector<SeenFact> facts =
      facts_of("faults/leader-election.yaml", "controller-manager",
               {"faults=[{at: 20s, leaderElectionOverlap: {controller: kube-controller-manager}, "
                "duration: 40s}]",
                "expect=[]"});
  std::vector<std::string> story;
  for (const SeenFact& one : facts) {
    if (const auto* acquired = one.fact.as<facts::LeaseAcquired>()) {
      story.push_back("acquired " + acquired->holder());
    } else if (const auto* lost = one.fact.as<facts::LeaseLost>()) {
      story.push_back("lost " + lost->holder());
    } else if (const auto* crashed = one.fact.as<facts::HostCrashed>()) {
      story.push_back("exited " + crashed->host());
    }
  }
  std::erase_if(story, [](const std::string& one) {
    return one.find("kube-controller-manager") == std::string::npos;
  });
  EXPECT_EQ(story, (std::vector<std::string>{"acquired controller/kube-controller-manager/1_1",
                                             "acquired controller/kube-controller-manager/0_1",
                                             "lost controller/kube-controller-manager/1_1",
                                             "exited controller/kube-controller-manager/1"}));
}

}  // namespace
}  // namespace troupe
