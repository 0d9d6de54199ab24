// What a scrape of a controller shows: series by name and labels, histograms with cumulative
// buckets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "actors/telemetry/metric_registry.h"
#include "messages/assert.h"

namespace troupe::telemetry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> lines_of(const MetricRegistry& registry) {
  std::vector<std::string> lines;
  for (const Sample& sample : registry.samples()) {
    std::string line = sample.name();
    for (const Label& label : sample.labels()) line += " " + label.key() + "=" + label.value();
    lines.push_back(line + " " + std::to_string(std::lround(sample.value() * 100)));
  }
  return lines;
}

TEST(MetricRegistry, AGaugeHasItsLastValueAndACounterTheSum) {
  MetricRegistry registry;
  registry.set_gauge("depth", {{"queue", "a"}}, 3);
  registry.set_gauge("depth", {{"queue", "a"}}, 1);
  registry.add_to_counter("tried", {{"action", "reclaim"}});
  registry.add_to_counter("tried", {{"action", "reclaim"}}, 2);
  registry.add_to_counter("tried", {{"action", "allocate"}});
  EXPECT_THAT(lines_of(registry), ElementsAre("depth queue=a 100", "tried action=allocate 100",
                                              "tried action=reclaim 300"));
}

TEST(MetricRegistry, AHistogramCountsAllThatIsNotAboveABound) {
  MetricRegistry registry;
  const std::vector<double> bounds = exponential_bounds(0.25, 20, 2);
  for (const double value : {0.1, 0.25, 4.0, 9.0}) registry.observe("wait", {}, value, bounds);
  EXPECT_THAT(lines_of(registry),
              ElementsAre("wait_bucket le=0.25 200", "wait_bucket le=5 300",
                          "wait_bucket le=+Inf 400", "wait_sum 1335", "wait_count 400"));
}

TEST(MetricRegistry, WhatWasResetIsNotShownUntilItIsSetAgain) {
  MetricRegistry registry;
  registry.set_gauge("depth", {{"queue", "a"}}, 3);
  registry.reset("depth");
  EXPECT_THAT(registry.samples(), IsEmpty());
}

TEST(MetricRegistry, OneHistogramHasOneSetOfBounds) {
  MetricRegistry registry;
  registry.observe("wait", {}, 1, std::vector{1.0});
  EXPECT_THROW(registry.observe("wait", {}, 1, std::vector{2.0}), ContractViolation);
}

}  // namespace
}  // namespace troupe::telemetry
