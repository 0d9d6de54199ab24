// Unit cases: what of an input counts, and how an output is compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/conformance/case_text.h"

namespace troupe::conformance {
namespace {

using ::testing::HasSubstr;
using testing::outcome_of;

// ---- engine ----
std::string engine(const std::string& limits, const std::string& requests,
                   const std::string& output) {
  return "unit:\n  component: engine\n  input:\n    engine: " + limits +
         "\n    requests: " + requests + "\n  output: " + output + "\n";
}

TEST(EngineCase, SplitsAPrefillOverTheBudgetOfItsSteps) {
  EXPECT_EQ(outcome_of(engine("{maxNumBatchedTokens: 100}", "[{id: a, prompt: 250, output: 2}]",
                              "{steps: {1: {prefillTokens: 100}, 2: {prefillTokens: 100}, "
                              "3: {prefillTokens: 50}, 4: {decodeSequences: 1}}}")),
            "");
}

TEST(EngineCase, LimitsALongPrefillThatSharesItsStep) {
  EXPECT_EQ(outcome_of(engine("{maxNumBatchedTokens: 100, longPrefillTokenThreshold: 60}",
                              "[{id: a, prompt: 250, output: 5}, {id: b, prompt: 40, output: 5}]",
                              "{steps: {1: {requests: {a: {scheduledTokens: 60}, "
                              "b: {scheduledTokens: 40}}}}}")),
            "");
}

TEST(EngineCase, HonoursBlockSizeAndPrefixCaching) {
  const std::string requests =
      "[{id: a, prompt: 100, output: 1, content: 1}, "
      "{id: b, prompt: 100, output: 1, content: 1, afterStep: 1}]";
  EXPECT_EQ(outcome_of(engine("{blockSize: 32}", requests,
                              "{steps: {1: {blocksUsed: 4}, 2: {prefillTokens: 4}}}")),
            "");
  EXPECT_EQ(outcome_of(engine("{enablePrefixCaching: false}", requests,
                              "{steps: {2: {prefillTokens: 100}}}")),
            "");
}

TEST(EngineCase, TakesStepsOfTheGivenLength) {
  EXPECT_EQ(outcome_of("unit:\n  component: engine\n  input:\n    stepTime: 25ms\n"
                       "    requests: [{id: a, prompt: 8, output: 4}]\n"
                       "  output: {end: {steps: 4, requests: {a: {ttft: 25ms, e2e: 0.1s}}}}\n"),
            "");
}

TEST(EngineCase, ForgetsARequestWhoseClientHangsUp) {
  EXPECT_EQ(outcome_of(engine("{maxNumSeqs: 1}",
                              "[{id: a, prompt: 8, output: 50, cancelAfterStep: 3}, "
                              "{id: b, prompt: 8, output: 2}]",
                              "{steps: {3: {running: [a], waiting: [b]}, 4: {running: [b], "
                              "waiting: []}}, end: {steps: 5, requests: {a: {status: Cancelled, "
                              "outputTokens: 2}, b: {status: Finished}}}}")),
            "");
}

TEST(EngineCase, ARequestThatFinishedIsNotCancelled) {
  EXPECT_EQ(outcome_of(engine("{}",
                              "[{id: a, prompt: 8, output: 2, cancelAfterStep: 4}, "
                              "{id: b, prompt: 8, output: 9}]",
                              "{end: {requests: {a: {status: Finished, outputTokens: 2}}}}")),
            "");
}

TEST(EngineCase, ARequestOfALaterStepComesWhenTheEngineFallsIdle) {
  EXPECT_EQ(outcome_of(engine("{}",
                              "[{id: a, prompt: 8, output: 2}, "
                              "{id: b, prompt: 8, output: 2, afterStep: 100}]",
                              "{steps: {3: {running: [b]}}, end: {steps: 4}}")),
            "");
}

TEST(EngineCase, PromptsMayShareABeginningAndThenDiffer) {
  EXPECT_EQ(
      outcome_of(engine("{}",
                        "[{id: a, prompt: 100, output: 1, contents: [{content: 1, tokens: 64}, "
                        "{content: 2, tokens: 36}]}, {id: b, prompt: 100, output: 1, afterStep: "
                        "1, contents: [{content: 1, tokens: 64}]}]",
                        "{end: {requests: {b: {cachedTokens: 64}}}}")),
      "");
}

// ---- comparison ----
TEST(OutputComparison, AnEmptyListIsAnExpectation) {
  const std::string requests = "[{id: a, prompt: 8, output: 2}, {id: b, prompt: 8, output: 2}]";
  EXPECT_EQ(outcome_of(engine("{}", requests, "{steps: {1: {waiting: []}}}")), "");
  EXPECT_EQ(outcome_of(engine("{maxNumSeqs: 1}", requests, "{steps: {1: {waiting: []}}}")),
            "steps.1.waiting: expected [], observed [\"b\"]\n");
}

TEST(OutputComparison, SaysWhatDoesNotHappenAtAll) {
  EXPECT_THAT(
      outcome_of(
          engine("{}", "[{id: a, prompt: 8, output: 2}]",
                 "{steps: {1: {}, 9: {prefillTokens: 1}}, end: {requests: {c: {ttft: 1s}}}}")),
      ::testing::AllOf(HasSubstr("steps.9: expected {\"prefillTokens\":1}, observed nothing"),
                       HasSubstr("end.requests.c: expected {\"ttft\":\"1s\"}, observed nothing")));
}

TEST(OutputComparison, TakesFractionsToAMillionth) {
  const auto used = [](const std::string& share) {
    return engine("{numGpuBlocks: 4}", "[{id: a, prompt: 16, output: 1}]",
                  "{steps: {1: {kvCacheUsagePerc: " + share + "}}}");
  };
  EXPECT_EQ(outcome_of(used("0.333333")), "");
  EXPECT_NE(outcome_of(used("0.33")), "");
}

// ---- hpa ----
std::string hpa(const std::string& metric, const std::string& rest, const std::string& output) {
  return "unit:\n  component: hpa\n  input:\n    spec: {maxReplicas: 50, behavior: {}, metrics: [" +
         metric + "]}\n" + rest + "  output: " + output + "\n";
}
constexpr const char* kPods =
    "{type: Pods, pods: {metric: {name: load}, target: {type: AverageValue, averageValue: 10}}}";

TEST(HpaCase, HonoursTheFlagsOfTheController) {
  const std::string high = "    syncs: [{pods: [{values: {load: 13}}]}]\n";
  EXPECT_EQ(outcome_of(hpa(kPods, "    replicas: 10\n" + high, "{replicas: [13]}")), "");
  EXPECT_EQ(outcome_of(hpa(kPods, "    flags: {tolerance: 0.4}\n    replicas: 10\n" + high,
                           "{replicas: [10]}")),
            "");
  const std::string low = "    syncs: [{times: 3, pods: [{values: {load: 1}}]}]\n";
  EXPECT_EQ(outcome_of(hpa(kPods,
                           "    flags: {downscaleStabilization: 60s, syncPeriod: 30s}\n"
                           "    replicas: 10\n" +
                               low,
                           "{changes: [{at: 60s, replicas: 1}]}")),
            "");
}

TEST(HpaCase, HonoursTheTimesOfSyncs) {
  EXPECT_EQ(outcome_of(hpa(kPods,
                           "    replicas: 1\n    syncs:\n"
                           "      - {pods: [{values: {load: 1000}}]}\n"
                           "      - {at: 14s, pods: [{values: {load: 1000}}]}\n"
                           "      - {at: 20s, pods: [{values: {load: 1000}}]}\n",
                           "{changes: [{at: 0s, replicas: 5}, {at: 20s, replicas: 10}]}")),
            "");
}

TEST(HpaCase, PodsThatAreOnTheirWayOutDoNotCount) {
  EXPECT_EQ(outcome_of(hpa(kPods,
                           "    replicas: 2\n    syncs:\n      - pods:\n"
                           "          - {count: 2, values: {load: 15}}\n"
                           "          - {count: 1, deleting: true, values: {load: 900}}\n"
                           "          - {count: 1, phase: Failed, values: {load: 900}}\n",
                           "{replicas: [3]}")),
            "");
}

TEST(HpaCase, LooksAtTheContainerThatTheMetricNames) {
  EXPECT_EQ(
      outcome_of(hpa("{type: ContainerResource, containerResource: {name: cpu, container: app, "
                     "target: {type: Utilization, averageUtilization: 100}}}",
                     "    replicas: 2\n    requests: {cpu: 100m}\n"
                     "    syncs: [{pods: [{values: {cpu: 150m}}]}]\n",
                     "{replicas: [3]}")),
      "");
}

TEST(HpaCase, AgeOfASampleAndOfReadinessDecideWhetherCpuCounts) {
  const std::string cpu =
      "{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: "
      "100}}}";
  const auto rest = [](const std::string& sample_age) {
    return "    replicas: 2\n    requests: {cpu: 100m}\n    syncs:\n      - pods:\n"
           "          - {count: 1, values: {cpu: 200m}}\n"
           "          - {age: 60s, readyFor: 20s, sampleAge: " +
           sample_age + ", values: {cpu: 900m}}\n";
  };
  // 1100 / 200 = 550 %, limited to 2 + 4; a sample from before a whole window of readiness is none:
  // 200 / 200.
  EXPECT_EQ(outcome_of(hpa(cpu, rest("0s"), "{replicas: [6]}")), "");
  EXPECT_EQ(outcome_of(hpa(cpu, rest("10s"), "{replicas: [2]}")), "");
}

TEST(HpaCase, ASurgeInTheStatusIsWhatATotalPerReplicaKeeps) {
  EXPECT_EQ(
      outcome_of(hpa("{type: External, external: {metric: {name: q}, target: {type: "
                     "AverageValue, averageValue: 10}}}",
                     "    replicas: 10\n    syncs: [{statusReplicas: 12, totals: {q: 115}}]\n",
                     "{replicas: [12]}")),
      "");
}

TEST(HpaCase, RequestsOfSomePodsMayDiffer) {
  // 300m + 100m of 100m + 300m: 100 %.
  EXPECT_EQ(outcome_of(hpa("{type: Resource, resource: {name: cpu, target: {type: Utilization, "
                           "averageUtilization: 50}}}",
                           "    replicas: 2\n    requests: {cpu: 100m}\n    syncs:\n      - pods:\n"
                           "          - {count: 1, values: {cpu: 300m}}\n"
                           "          - {values: {cpu: 100m}, requests: {cpu: 300m}}\n",
                           "{replicas: [4]}")),
            "");
}

TEST(HpaCase, ARestartForgetsTheWindow) {
  const auto fall = [](const std::string& restart) {
    return "    replicas: 10\n    syncs:\n      - {pods: [{values: {load: 10}}]}\n"
           "      - {at: 200s, " +
           restart +
           "pods: [{values: {load: 1}}]}\n"
           "      - {at: 400s, pods: [{values: {load: 1}}]}\n";
  };
  EXPECT_EQ(outcome_of(hpa(kPods, fall(""), "{replicas: [10, 10, 1]}")), "");
  EXPECT_EQ(outcome_of(hpa(kPods, fall("restart: true, "), "{replicas: [10, 10, 10]}")), "");
}

TEST(HpaCase, ARescaleThatIsRefusedIsNone) {
  EXPECT_EQ(
      outcome_of(
          hpa(kPods,
              "    replicas: 1\n    syncs:\n"
              "      - {writeError: the object has been modified, pods: [{values: {load: 1000}}]}\n"
              "      - {at: 1s, pods: [{values: {load: 1000}}]}\n",
              "{replicas: [1, 5]}")),
      "");
}

TEST(HpaCase, SomebodyElseMaySetTheReplicas) {
  EXPECT_EQ(
      outcome_of(hpa(kPods,
                     "    replicas: 1\n    syncs:\n      - {pods: [{values: {load: 10}}]}\n"
                     "      - {replicas: 0}\n",
                     "{replicas: [1, 0], conditions: {ScalingActive: {status: \"False\", reason: "
                     "ScalingDisabled}}}")),
      "");
}

// ---- fair-share ----
TEST(FairShareCase, SaysWhatDiffers) {
  EXPECT_EQ(outcome_of("unit:\n  component: fair-share\n  input:\n    gpus: 8\n"
                       "    queues: [{name: a, quota: 2, request: 6}, "
                       "{name: b, quota: 2, weight: 3, request: 6}]\n"
                       "  output: {shares: {a: 4, b: 5}}\n"),
            "shares.a: expected 4, observed 3\n");
}

}  // namespace
}  // namespace troupe::conformance
