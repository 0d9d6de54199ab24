#include <gtest/gtest.h>

#include "actors/telemetry/scrape_recorder.h"
#include "actors/telemetry/series_store.h"
#include "tests/actors/telemetry/telemetry_harness.h"

namespace troupe::telemetry {
namespace {

using namespace harness;

TEST(LabelSet, IsSortedAndHasEachKeyOnce) {
  LabelSet labels{{"b", "2"}, {"a", "1"}, {"b", "3"}};
  EXPECT_EQ(labels.pairs(), (std::vector<LabelSet::Pair>{{"a", "1"}, {"b", "3"}}));
  labels.set("a", "");
  EXPECT_EQ(labels.find("a"), nullptr);
}

TEST(LabelSet, TargetLabelsHideThoseOfTheSampleUnderExported) {
  // The DCGM exporter says pod="llama-0"; Prometheus says pod="nvidia-dcgm-exporter-n".
  const LabelSet labels = with_target_labels(LabelSet{{"pod", "llama-0"}, {"gpu", "3"}},
                                             LabelSet{{"pod", "exporter"}, {"node", "n"}});
  EXPECT_EQ(*labels.find("pod"), "exporter");
  EXPECT_EQ(*labels.find("exported_pod"), "llama-0");
  EXPECT_EQ(*labels.find("gpu"), "3");
  EXPECT_EQ(*exported_label(labels, "pod"), "llama-0");
  EXPECT_EQ(*exported_label(labels, "node"), "n");
}

TEST(LabelSet, RequirementsFollowTheRulesOfSelectors) {
  const LabelSet labels{{"tier", "a"}};
  google::protobuf::RepeatedPtrField<api::LabelRequirement> one;
  const auto holds = [&](const api::LabelRequirement& wanted) {
    one.Clear();
    *one.Add() = wanted;
    return matches(one, labels);
  };
  EXPECT_TRUE(holds(requirement("tier", "In", {"a", "b"})));
  EXPECT_FALSE(holds(requirement("tier", "NotIn", {"a"})));
  EXPECT_TRUE(holds(requirement("zone", "NotIn", {"a"})));
  EXPECT_TRUE(holds(requirement("tier", "Exists")));
  EXPECT_FALSE(holds(requirement("zone", "Exists")));
  EXPECT_TRUE(holds(requirement("zone", "DoesNotExist")));
}

void add(SeriesStore& store, const std::string& name, const LabelSet& labels, const Point& point) {
  store.append(*store.open(name, labels), point);
}

const Points& points_of(const SeriesStore& store) {
  return *store.find("x")->begin()->second;
}

TEST(SeriesStore, ShowsTheNewestPointUpToTheLookback) {
  SeriesStore store(10min);
  add(store, "x", {}, {at(0s), 1.0, false});
  add(store, "x", {}, {at(15s), 2.0, false});
  EXPECT_EQ(latest(points_of(store), at(14s))->value, 1.0);
  EXPECT_EQ(latest(points_of(store), at(15s))->value, 2.0);
  EXPECT_EQ(latest(points_of(store), at(15s + 5min - 1ns))->value, 2.0);
  EXPECT_FALSE(latest(points_of(store), at(15s + 5min)));
}

TEST(SeriesStore, AMarkerEndsASeriesAtOnce) {
  SeriesStore store(10min);
  add(store, "x", {}, {at(0s), 1.0, false});
  add(store, "x", {}, {at(15s), 0.0, true});
  EXPECT_FALSE(latest(points_of(store), at(16s)));
  EXPECT_EQ(latest(points_of(store), at(14s))->value, 1.0);
  add(store, "x", {}, {at(30s), 3.0, false});
  EXPECT_EQ(latest(points_of(store), at(30s))->value, 3.0);
}

TEST(SeriesStore, ForgetsWhatIsOlderThanItsRetention) {
  SeriesStore store(6min);
  for (Duration t = 0s; t <= 30min; t += 15s) add(store, "x", {}, {at(t), 1.0, false});
  EXPECT_EQ(points_of(store).size(), 25u);  // 6 min / 15 s, and both ends
  store.prune(at(30min + 6min));
  EXPECT_EQ(store.series_count(), 1u);
  store.prune(at(30min + 6min + 1ns));
  EXPECT_EQ(store.series_count(), 0u);
  EXPECT_EQ(store.find("x"), nullptr);
}

TEST(SeriesStore, DropsSamplesThatComeOutOfOrder) {
  SeriesStore store(10min);
  add(store, "x", {}, {at(30s), 1.0, false});
  add(store, "x", {}, {at(15s), 2.0, false});
  EXPECT_EQ(points_of(store).size(), 1u);
}

TEST(SeriesStore, AveragesOverAWindowWithoutItsLeftEdge) {
  SeriesStore store(10min);
  for (int i = 0; i <= 4; ++i) add(store, "x", {}, {at(i * 15s), 10.0 * i, false});
  // (0 s, 60 s]: 10, 20, 30, 40.
  EXPECT_EQ(average_over(points_of(store), at(60s), 60s), 25.0);
  EXPECT_FALSE(average_over(points_of(store), at(10min), 60s));
}

TEST(SeriesStore, ARateCountsOnAcrossARestart) {
  SeriesStore store(10min);
  const std::vector<double> values = {100, 130, 10,
                                      40};  // restarted between the second and the third
  for (std::size_t i = 0; i < values.size(); ++i) {
    add(store, "x", {}, {at(static_cast<int>(i) * 15s), values[i], false});
  }
  // 30 + 10 + 30 = 70 in 45 s.
  EXPECT_DOUBLE_EQ(*rate_over(points_of(store), at(45s), 60s), 70.0 / 45.0);
  EXPECT_FALSE(rate_over(points_of(store), at(45s), 10s));  // a single point
}

class Recorder : public ::testing::Test {
 protected:
  [[nodiscard]] std::optional<double> value(const std::string& name, SimTime now) const {
    const auto* family = store.find(name);
    if (family == nullptr) return std::nullopt;
    const auto point = latest(*family->begin()->second, now);
    return point ? std::optional(point->value) : std::nullopt;
  }

  SeriesStore store{10min};
  ScrapeRecorder recorder{store};
  LabelSet target{{"pod", "p"}};
};

TEST_F(Recorder, AFailedScrapeHidesTheTargetsSeriesUntilTheNextGoodOne) {
  recorder.succeeded("p", target, scrape_of({sample("x", 5)}), at(0s));
  EXPECT_EQ(value("x", at(1s)), 5.0);
  EXPECT_EQ(value("up", at(1s)), 1.0);
  recorder.failed("p", target, at(15s));
  EXPECT_FALSE(value("x", at(16s)));
  EXPECT_EQ(value("up", at(16s)), 0.0);
  recorder.succeeded("p", target, scrape_of({sample("x", 7)}), at(30s));
  EXPECT_EQ(value("x", at(31s)), 7.0);
}

TEST_F(Recorder, ASeriesThatAScrapeNoLongerShowsEnds) {
  recorder.succeeded("p", target, scrape_of({sample("x", 5), sample("y", 1)}), at(0s));
  recorder.succeeded("p", target, scrape_of({sample("y", 2)}), at(15s));
  EXPECT_FALSE(value("x", at(16s)));
  EXPECT_EQ(value("y", at(16s)), 2.0);
}

TEST_F(Recorder, SeriesInAnotherOrderAreTheSameSeries) {
  recorder.succeeded("p", target, scrape_of({sample("x", 5), sample("y", 1)}), at(0s));
  recorder.succeeded("p", target, scrape_of({sample("z", 3), sample("y", 2), sample("x", 6)}),
                     at(15s));
  EXPECT_EQ(value("x", at(16s)), 6.0);
  EXPECT_EQ(value("y", at(16s)), 2.0);
  EXPECT_EQ(value("z", at(16s)), 3.0);
  EXPECT_EQ(store.find("x")->begin()->second->size(), 2u);
}

TEST_F(Recorder, ASeriesThatIsStillShownIsNotPruned) {
  recorder.succeeded("p", target, scrape_of({sample("x", 5)}), at(0s));
  store.prune(at(1h));
  EXPECT_NE(store.find("x"), nullptr);
  recorder.forget("p", at(1h));
  store.prune(at(2h));
  EXPECT_EQ(store.series_count(), 0u);
}

TEST_F(Recorder, ATargetThatIsGoneTakesEverythingWithIt) {
  recorder.succeeded("p", target, scrape_of({sample("x", 5)}), at(0s));
  recorder.forget("p", at(10s));
  EXPECT_FALSE(value("x", at(10s)));
  EXPECT_FALSE(value("up", at(10s)));
}

}  // namespace
}  // namespace troupe::telemetry
