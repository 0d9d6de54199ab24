#include "actors/telemetry/scrape_targets.h"

#include <gtest/gtest.h>

#include "tests/actors/telemetry/telemetry_harness.h"

namespace troupe::telemetry {
namespace {

using namespace harness;

void annotate(k8s::Pod& pod, const std::string& value) {
  k8s::KeyValue* annotation = pod.mutable_metadata()->add_annotations();
  annotation->set_key("prometheus.io/scrape");
  annotation->set_value(value);
}

TEST(ScrapeTargets, ARunningPodIsATargetAtItsAddress) {
  ScrapeTargets targets;
  const TargetChange change = targets.update(running_pod("a"));
  EXPECT_TRUE(change.added);
  EXPECT_EQ(change.path, "node/n/pod/a");
  const ScrapeTarget* target = targets.find("node/n/pod/a");
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(*target->labels.find("pod"), "a");
  EXPECT_EQ(*target->labels.find("namespace"), "prod");
  EXPECT_EQ(*target->labels.find("node"), "n");
  EXPECT_TRUE(targets.update(running_pod("a")).path.empty());  // nothing new
}

TEST(ScrapeTargets, APendingPodIsNone) {
  ScrapeTargets targets;
  k8s::Pod pod = running_pod("a");
  pod.mutable_status()->set_phase("Pending");
  EXPECT_TRUE(targets.update(pod).path.empty());
  EXPECT_EQ(targets.size(), 0u);
}

TEST(ScrapeTargets, APodThatFinishesOrGoesIsNoTargetAnyMore) {
  ScrapeTargets targets;
  (void)targets.update(running_pod("a"));
  (void)targets.update(running_pod("b"));
  k8s::Pod done = running_pod("a");
  done.mutable_status()->set_phase("Succeeded");
  const TargetChange change = targets.update(done);
  EXPECT_EQ(change.path, "node/n/pod/a");
  EXPECT_FALSE(change.added);
  EXPECT_EQ(targets.remove(running_pod("b")).path, "node/n/pod/b");
  EXPECT_EQ(targets.size(), 0u);
}

TEST(ScrapeTargets, AnAnnotationForbidsScraping) {
  ScrapeTargets targets;
  k8s::Pod pod = running_pod("a");
  annotate(pod, "false");
  EXPECT_TRUE(targets.update(pod).path.empty());
}

TEST(ScrapeTargets, AReadyPodThatNeverAnswersIsLeftAloneAfterThreeTries) {
  ScrapeTargets targets;
  (void)targets.update(running_pod("a"));
  EXPECT_TRUE(targets.failed("node/n/pod/a").path.empty());
  EXPECT_TRUE(targets.failed("node/n/pod/a").path.empty());
  EXPECT_EQ(targets.failed("node/n/pod/a").path, "node/n/pod/a");
  EXPECT_TRUE(targets.update(running_pod("a")).path.empty());
  EXPECT_EQ(targets.size(), 0u);
}

TEST(ScrapeTargets, APodThatIsLoadingIsTriedUntilItAnswers) {
  ScrapeTargets targets;
  (void)targets.update(running_pod("a", false));
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(targets.failed("node/n/pod/a").path.empty());
  (void)targets.update(running_pod("a", true));
  targets.succeeded("node/n/pod/a");
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(targets.failed("node/n/pod/a").path.empty());
  EXPECT_NE(targets.find("node/n/pod/a"), nullptr);
}

TEST(ScrapeTargets, AnAnnotatedPodIsNeverGivenUp) {
  ScrapeTargets targets;
  k8s::Pod pod = running_pod("a");
  annotate(pod, "true");
  (void)targets.update(pod);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(targets.failed("node/n/pod/a").path.empty());
}

TEST(ScrapeTargets, ANodeWithGpusHasAnExporter) {
  ScrapeTargets targets;
  EXPECT_EQ(targets.update(gpu_node("g")).path, "node/g/dcgm-exporter");
  EXPECT_TRUE(targets.update(gpu_node("cpu-only", "0")).path.empty());
  EXPECT_EQ(targets.remove(gpu_node("g")).path, "node/g/dcgm-exporter");
}

TEST(ScrapeTargets, TheConfigurationNamesFurtherOnes) {
  ScrapeTargets targets;
  StaticTarget router;
  router.set_path("router/chat");
  router.set_job("router");
  EXPECT_TRUE(targets.add(router).added);
  EXPECT_EQ(*targets.find("router/chat")->labels.find("job"), "router");
}

}  // namespace
}  // namespace troupe::telemetry
