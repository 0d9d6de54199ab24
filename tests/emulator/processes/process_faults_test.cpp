// Faults of the workers of a live run: what becomes of the run, and that its replay is the same.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "emulator/config/scenario_loader.h"
#include "emulator/journal/journal_file.h"
#include "emulator/processes/execute.h"
#include "emulator/processes/replay.h"
#include "messages/envelope.h"
#include "messages/facts.pb.h"
#include "messages/fault.pb.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class ProcessFaultsTest : public testing::Test {
 protected:
  ProcessFaultsTest() {
    std::string name = testing::TempDir() + "process-faults-" + std::string(6, 'X');
    folder_ = mkdtemp(name.data());
  }
  ~ProcessFaultsTest() override { fs::remove_all(folder_); }

  static plan::RunPlan plan_of(const std::string& variant) {
    const config::LoadedScenario loaded =
        config::load_scenario(fs::path(TROUPE_SOURCE_DIR) / "scenarios/faults/processes.yaml",
                              {.variant = variant, .live = true});
    EXPECT_TRUE(loaded.ok()) << manifests::to_string(loaded.diagnostics);
    return loaded.plan;
  }
  static void add_fault(plan::RunPlan& plan, const std::string& kind, std::chrono::seconds at,
                        fault::BefallProcess befall) {
    plan::FaultPlan& entry = *plan.add_process_faults();
    entry.set_kind(kind);
    entry.set_at_ns(Duration(at).count());
    entry.set_heals(befall.heal());
    befall.set_probability_ppm(1'000'000);
    *entry.mutable_message() = to_envelope(Payload::of(std::move(befall)));
  }
  static fault::BefallProcess of(fault::BefallProcess::Effect effect, const std::string& process) {
    fault::BefallProcess befall;
    befall.set_effect(effect);
    befall.set_process(process);
    return befall;
  }

  ExecuteResult run(const plan::RunPlan& plan, std::int64_t speed = 20) {
    ExecuteOptions options;
    options.journal = folder_ / "journal";
    options.live = true;
    options.speed_ppm = speed * 1'000'000;
    options.processes = 2;
    options.crew.spawned = 2;
    const std::string program = TROUPE_PROGRAM;
    options.crew.program = program;
    options.crew.tell = [this](const std::string& line) { told_ += line + "\n"; };
    Result<ExecuteResult> result = execute(plan, options);
    EXPECT_TRUE(result.has_value()) << result.error().message;
    return *std::move(result);
  }
  void expect_replay_of(const ExecuteResult& result) {
    const Result<ReplayResult> again = replay_live(folder_ / "journal", {});
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_FALSE(again->divergence) << again->divergence->actor << " " << again->divergence->field;
    EXPECT_EQ(again->digest.hex(), result.summary["digest"]);
  }

  fs::path folder_;
  std::string told_;
};

TEST_F(ProcessFaultsTest, AKilledWorkerIsReplacedAndTheReplayIsTheSame) {
  const ExecuteResult result = run(plan_of("kill"));
  EXPECT_GE(result.summary["live"]["worker_deaths"], 1) << told_;
  EXPECT_GE(result.summary["faults"]["processKill"], 1);
  EXPECT_TRUE(result.held) << result.summary["expectations"];
  EXPECT_THAT(told_, HasSubstr("killed by signal 9"));
  expect_replay_of(result);
}

TEST_F(ProcessFaultsTest, APausedWorkerGoesOnWhereItStoodAndItsLatenessShowsIt) {
  plan::RunPlan plan = plan_of("kill");
  plan.clear_process_faults();
  fault::BefallProcess pause = of(fault::BefallProcess::PAUSE, "*");
  pause.set_mode(fault::Target::ALL);
  add_fault(plan, "processPause", std::chrono::seconds(40), pause);
  pause.set_heal(true);
  add_fault(plan, "processPause", std::chrono::seconds(70), pause);
  const ExecuteResult result = run(plan);
  EXPECT_EQ(result.summary["live"]["worker_deaths"], 0) << told_;
  EXPECT_EQ(result.summary["faults"]["processPause"], 2);
  EXPECT_TRUE(result.held) << result.summary["expectations"];
  double latest = 0;
  for (const auto& [name, one] : result.summary["live"]["lateness_ms"].items()) {
    latest = std::max(latest, one["p99"].get<double>());
  }
  EXPECT_GT(latest, 1000) << "30 s went by at once: " << result.summary["live"];
  expect_replay_of(result);
}

TEST_F(ProcessFaultsTest, AWorkerWhoseDiskIsFullStopsAndItsHostsAreBackOnceThereIsRoom) {
  const ExecuteResult result = run(plan_of("disk-full"), 10);
  EXPECT_GE(result.summary["live"]["worker_deaths"], 1);
  EXPECT_FALSE(result.defect);
  EXPECT_TRUE(result.unwritten.empty());
  EXPECT_TRUE(result.held) << result.summary["expectations"];
  EXPECT_THAT(told_, HasSubstr("the disk of its journal has no room left (exit code 3)"));
  EXPECT_THAT(told_, HasSubstr("has taken its place"));
  expect_replay_of(result);
}

TEST_F(ProcessFaultsTest, ADiskThatStaysFullEndsTheRunWithANameAndTheReplayIsTheSame) {
  plan::RunPlan plan = plan_of("kill");
  plan.clear_process_faults();
  add_fault(plan, "diskFill", std::chrono::seconds(40), of(fault::BefallProcess::FILL_DISK, "0"));
  const ExecuteResult result = run(plan);
  ASSERT_TRUE(result.defect.has_value());
  EXPECT_THAT(result.defect->actor, HasSubstr("process 0"));
  EXPECT_THAT(result.defect->what, HasSubstr("the disk of its journal has no room left"));
  EXPECT_EQ(result.summary["faults"]["diskFill"], 1);
  expect_replay_of(result);
}

TEST_F(ProcessFaultsTest, APlanOfALiveRunIsRefusedInVirtualTime) {
  const Result<ExecuteResult> result = execute(plan_of("kill"), {});
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, HasSubstr("live run"));
}

}  // namespace
}  // namespace troupe
