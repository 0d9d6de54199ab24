// Variants and --set: a partial scenario laid over the whole one.
#include <gmock/gmock.h>

#include "messages/hosts.pb.h"
#include "tests/emulator/config/scenario_files.h"

namespace troupe::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class VariantTest : public ScenarioFiles {};

TEST_F(VariantTest, MappingsMergeListsReplaceAndNullErases) {
  scenario(
      "seed: 3\ncontrollers: {kubeScheduler: {clientQPS: 7, burst: 9}}\n"
      "slo: {ttft: 1s, e2e: 5s}\nfaults:\n  - {at: 1s, crash: {host: node/a}}\n"
      "variants:\n  v:\n    controllers: {kubeScheduler: {clientQPS: 70}}\n    slo: {e2e: null}\n"
      "    faults: []\n");
  const plan::RunPlan changed = plan({.variant = "v"});
  const auto scheduler =
      config_of<hosts::KubeSchedulerConfig>(changed, "controller/kube-scheduler/0");
  EXPECT_EQ(scheduler.client().qps(), 70);
  EXPECT_EQ(scheduler.client().burst(), 9u);
  EXPECT_EQ(changed.slo().ttft_ns(), 1'000'000'000);
  EXPECT_EQ(changed.slo().e2e_ns(), 0);
  EXPECT_EQ(changed.faults_size(), 0);
  EXPECT_EQ(changed.seed(), 3u);
  EXPECT_EQ(changed.variant(), "v");
  EXPECT_EQ(plan().faults_size(), 1);
}

TEST_F(VariantTest, NamesComeInTheOrderOfTheFile) {
  scenario("variants: {zebra: {}, ant: {}}\n");
  EXPECT_THAT(variant_names(folder_ / "s.yaml"), ElementsAre("zebra", "ant"));
}

TEST_F(VariantTest, SetGoesOverTheVariant) {
  scenario("variants: {v: {duration: 2m}}\n");
  EXPECT_EQ(plan({.variant = "v"}).duration_ns(), 120'000'000'000);
  EXPECT_EQ(plan({.variant = "v", .sets = {"duration=3m"}}).duration_ns(), 180'000'000'000);
}

TEST_F(VariantTest, TheSeedOfTheCommandGoesOverTheFiles) {
  scenario("seed: 3\n");
  EXPECT_EQ(plan({.seed = 0}).seed(), 0u);
}

TEST_F(VariantTest, RefusesWhatNamesNothing) {
  scenario("variants: {v: {}}\n");
  EXPECT_THAT(load({.variant = "w"}).diagnostics.at(0).message,
              HasSubstr("no variant 'w'; it has v"));
  EXPECT_EQ(load({.sets = {"faults.0.at=1s"}}).diagnostics.at(0).message,
            "expected a list, found a mapping");
  EXPECT_THAT(load({.sets = {"durration=1s"}}).diagnostics.at(0).message,
              HasSubstr("did you mean \"duration\""));
}

}  // namespace
}  // namespace troupe::config
