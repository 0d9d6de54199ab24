#include "actors/kubelet/probe_state.h"

#include <gtest/gtest.h>

namespace troupe::kubelet {
namespace {

constexpr auto kReadiness = workload::ProbeRequest::READINESS;
constexpr auto kLiveness = workload::ProbeRequest::LIVENESS;
constexpr auto kStartup = workload::ProbeRequest::STARTUP;

TEST(ProbeState, HasTheApisDefaults) {
  const ProbeState state(kReadiness, {});
  EXPECT_EQ(state.initial_delay(), std::chrono::seconds(0));
  EXPECT_EQ(state.period(), std::chrono::seconds(10));
  EXPECT_EQ(state.timeout(), std::chrono::seconds(1));
}

TEST(ProbeState, BeginsAsFailedExceptForLiveness) {
  EXPECT_FALSE(ProbeState(kReadiness, {}).passed());
  EXPECT_FALSE(ProbeState(kStartup, {}).passed());
  EXPECT_TRUE(ProbeState(kLiveness, {}).passed());
}

TEST(ProbeState, PassesWithOneSuccessAndFailsWithThreeFailures) {
  ProbeState state(kReadiness, {});
  EXPECT_TRUE(state.record(true));
  EXPECT_TRUE(state.passed());
  EXPECT_FALSE(state.record(false));
  EXPECT_FALSE(state.record(false));
  EXPECT_TRUE(state.passed());
  EXPECT_TRUE(state.record(false));
  EXPECT_FALSE(state.passed());
  EXPECT_TRUE(state.exhausted());
}

TEST(ProbeState, CountsFailuresInARowOnly) {
  ProbeState state(kLiveness, {});
  for (const bool success : {false, false, true, false, false}) state.record(success);
  EXPECT_FALSE(state.exhausted());
}

TEST(ProbeState, WaitsForItsSuccessThreshold) {
  k8s::Probe probe;
  probe.set_success_threshold(2);
  ProbeState state(kReadiness, probe);
  EXPECT_FALSE(state.record(true));
  EXPECT_TRUE(state.record(true));
}

}  // namespace
}  // namespace troupe::kubelet
