// Cases that are refused, with their line and what was expected; and what the program says of
// cases.
#include <array>
#include <cstdio>

#include <sys/wait.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/conformance/case_text.h"

namespace troupe::conformance {
namespace {

using testing::case_text;
using testing::CaseFile;
using ::testing::HasSubstr;

// The diagnostics of a case with that body, which begins in line 4.
std::string complaint(const std::string& body) {
  const CaseFile file(case_text(body));
  const LoadedCases loaded = load_cases(file.path());
  EXPECT_FALSE(loaded.ok());
  EXPECT_TRUE(loaded.cases.empty());
  return manifests::to_string(loaded.diagnostics);
}

struct Bad {
  const char* name;
  std::string body;
  std::string where;
  std::string what;
};

void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.name;
}

class BadCase : public ::testing::TestWithParam<Bad> {};

TEST_P(BadCase, IsRefusedWithItsLine) {
  const std::string text = complaint(GetParam().body);
  EXPECT_THAT(text, HasSubstr(".yaml:" + GetParam().where));
  EXPECT_THAT(text, HasSubstr(GetParam().what));
}

std::string engine(const std::string& input) {
  return "unit:\n  component: engine\n  output: {end: {steps: 1}}\n  input:\n" + input;
}
std::string hpa(const std::string& sync) {
  return "unit:\n  component: hpa\n  output: {finalReplicas: 1}\n  input:\n    replicas: 1\n    "
         "spec:\n"
         "      maxReplicas: 5\n      metrics:\n        - {type: Pods, pods: {metric: {name: "
         "load}, "
         "target: {type: AverageValue, averageValue: 1}}}\n        - {type: External, external: "
         "{metric: {name: queue}, target: {type: Value, value: 1}}}\n    syncs:\n" +
         sync;
}
std::string sync(const std::string& given,
                 const std::string& more = "expect: [{job: a, state: Running}]\n") {
  return "mode: {sync: {}}\ngiven:\n" + given + more;
}
constexpr const char* kSound =
    "  nodes: [{name: n, gpus: 1}]\n  queues: [{name: q, quota: 1}]\n"
    "  jobs: [{name: a, queue: q}]\n";

INSTANTIATE_TEST_SUITE_P(
    Form, BadCase,
    ::testing::Values(
        Bad{"NothingToRun", "title: x\n", "1:", "exactly one of `mode` and `unit`"},
        Bad{"UnknownKey", "titel: x\nmode: {sync: {}}\n", "4:titel", "did you mean \"title\"?"},
        Bad{"AsyncMode", "mode: async\n", "4:mode", "expected a mapping"},
        Bad{"UnknownComponent", "unit: {component: vpa, input: {}, output: {}}\n",
            "4:unit.component", "expected one of hpa, engine, fair-share"},
        Bad{"ModeAndUnit", "mode: {sync: {}}\nunit: {component: engine, input: {}, output: {}}\n",
            "1:", "exactly one"},
        Bad{"GivenOfAUnit",
            engine("    requests: [{id: a, prompt: 1, output: 1}]\n") + "given: {nodes: []}\n",
            "9:given", "`input`"},
        Bad{"ProfileOfAnother",
            "profile: 1.31\n" + engine("    requests: [{id: a, prompt: 1, output: 1}]\n"),
            "4:profile", "expected one of v1"},
        Bad{"NoOutput", "unit: {component: engine, input: {requests: []}}\n", "4:unit.output",
            "required"},
        Bad{"EmptyOutput",
            "unit:\n  component: engine\n  input: {requests: []}\n  output: {end: {}}\n",
            "7:unit.output", "expected something"}),
    [](const auto& bad) { return bad.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Engine, BadCase,
    ::testing::Values(
        Bad{"UnknownKey", engine("    requests: []\n    engine: {maxNumSeq: 1}\n"),
            "9:unit.input.engine.maxNumSeq", "did you mean \"maxNumSeqs\"?"},
        Bad{"NoBlocks", engine("    requests: []\n    engine: {numGpuBlocks: 1}\n"),
            "9:unit.input.engine.numGpuBlocks", "at least 2"},
        Bad{"NoTokens", engine("    requests: [{id: a, prompt: 0, output: 1}]\n"),
            "8:unit.input.requests[0].prompt", "at least 1"},
        Bad{"BareTime", engine("    requests: []\n    stepTime: 10\n"), "9:unit.input.stepTime",
            "unit"},
        Bad{"TwiceTheSame",
            engine("    requests:\n      - {id: a, prompt: 1, output: 1}\n"
                   "      - {id: a, prompt: 1, output: 1}\n"),
            "10:unit.input.requests[1].id", "is there already"},
        Bad{"OutOfOrder",
            engine("    requests:\n      - {id: a, prompt: 1, output: 1, afterStep: 2}\n"
                   "      - {id: b, prompt: 1, output: 1}\n"),
            "10:unit.input.requests[1]", "in order of their arrival"},
        Bad{"TooMuch", engine("    requests: [{id: a, prompt: 4000000000, output: 1}]\n"),
            "8:unit.input.requests", "1,000,000"},
        Bad{"CancelledBeforeItComes",
            engine("    requests: [{id: a, prompt: 1, output: 1, afterStep: 2, cancelAfterStep: "
                   "2}]\n"),
            "8:unit.input.requests[0].cancelAfterStep", "after the one"}),
    [](const auto& bad) { return bad.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Hpa, BadCase,
    ::testing::Values(Bad{"UnknownMetric", hpa("      - {pods: [{values: {lode: 1}}]}\n"),
                          "15:unit.input.syncs[0].pods[0].values.lode", "did you mean \"load\"?"},
                      Bad{"TotalOfPods", hpa("      - {totals: {load: 1}}\n"),
                          "15:unit.input.syncs[0].totals", "`values`"},
                      Bad{"ValueOfATotal", hpa("      - {pods: [{values: {queue: 1}}]}\n"),
                          "15:unit.input.syncs[0].pods[0].values", "`totals`"},
                      Bad{"BackInTime", hpa("      - {times: 3}\n      - {at: 20s}\n"),
                          "16:unit.input.syncs[1].at", "not before"},
                      Bad{"TwoRests", hpa("      - {pods: [{}, {ready: false}]}\n"),
                          "15:unit.input.syncs[0].pods", "all entries but one"},
                      Bad{"TooLong", hpa("      - {at: 20000d}\n"), "15:unit.input.syncs[0].at",
                          "30d"},
                      Bad{"TooOften", hpa("      - {times: 4000000000}\n"), "15:unit.input.syncs",
                          "10,000 syncs"},
                      Bad{"MisspeltField", hpa("      - {pod: [{}]}\n"),
                          "15:unit.input.syncs[0].pod", "did you mean \"pods\"?"}),
    [](const auto& bad) { return bad.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Sync, BadCase,
    ::testing::Values(
        Bad{"NothingExpected", sync(kSound, ""), "1:expect", "something to expect"},
        Bad{"UnknownJob", sync(kSound, "expect: [{job: b, state: Running}]\n"), "9:expect[0].job",
            "no such job"},
        Bad{"NoSuchTask", sync(kSound, "expect: [{job: a, task: 1, state: Running}]\n"),
            "9:expect[0].task", "1 tasks"},
        Bad{"ExpectsNothingOfTheJob", sync(kSound, "expect: [{job: a}]\n"), "9:expect[0]",
            "at least one of"},
        Bad{"UnknownState", sync(kSound, "expect: [{job: a, state: Done}]\n"), "9:expect[0].state",
            "Running"},
        Bad{"RunningNowhere", sync("  jobs: [{name: a, queue: q, tasks: [{state: Running}]}]\n"),
            "6:given.jobs[0].tasks[0]", "needs a `node`"},
        Bad{"UnknownNode",
            sync("  nodes: [{name: node0}]\n"
                 "  jobs: [{name: a, queue: q, tasks: [{state: Running, node: node}]}]\n"),
            "7:given.jobs[0].tasks[0].node", "did you mean \"node0\"?"},
        Bad{"UnknownParent", sync("  queues: [{name: q, quota: 1, parent: d}]\n"),
            "6:given.queues[0].parent", "expected a department"},
        Bad{"OddQuota", sync("  queues: [{name: q, quota: -0.5}]\n"), "6:given.queues[0].quota",
            "-1 for unlimited"},
        Bad{"UnknownSubGroup", sync("  jobs: [{name: a, queue: q, tasks: [{subGroup: s}]}]\n"),
            "6:given.jobs[0].tasks[0].subGroup", "one of the job's subGroups"},
        Bad{"MinimumOfAParent",
            sync("  jobs:\n    - name: a\n      queue: q\n      tasks: [{subGroup: s}]\n"
                 "      subGroups: [{name: top, min: 2}, {name: s, parent: top}]\n"),
            "10:given.jobs[0].subGroups[0].min", "that of its children"},
        Bad{"TwoJobsOfOneName",
            sync("  jobs:\n    - {name: a, queue: q}\n    - {name: a, queue: q}\n"),
            "8:given.jobs[1].name", "is there already"},
        Bad{"TooMany", sync("  jobs: [{name: a, queue: q, count: 4000000000}]\n"),
            "6:given.jobs[0]", "10,000"},
        Bad{"UnknownAction",
            "mode: {sync: {actions: [reclaim]}}\ngiven:\n" + std::string(kSound) +
                "expect: [{job: a, state: Running}]\n",
            "4:mode.sync.actions[0]", "no such action"},
        Bad{"TopologyThatIsNotModelled", sync("  topology: {levels: [rack]}\n"), "6:given.topology",
            "unknown key"}),
    [](const auto& bad) { return bad.param.name; });

TEST(CaseLoader, RefusesOtherDocumentsAndFilesThatAreNone) {
  const CaseFile scenario("apiVersion: troupe/v1\nkind: Scenario\n");
  EXPECT_THAT(manifests::to_string(load_cases(scenario.path()).diagnostics),
              HasSubstr("kind: ConformanceCase"));
  EXPECT_FALSE(load_cases("nowhere.yaml").ok());
  const CaseFile empty("");
  EXPECT_FALSE(load_cases(empty.path()).ok());
}

TEST(CaseLoader, OneBadCaseOfAFileDoesNotHideTheNext) {
  const CaseFile file(case_text("titel: x\nmode: {sync: {}}\n---\n") +
                      case_text("mode: {sink: {}}\n"));
  const std::string text = manifests::to_string(load_cases(file.path()).diagnostics);
  EXPECT_THAT(text, HasSubstr(":4:titel"));
  EXPECT_THAT(text, HasSubstr(":10:mode.sink"));
}

// ---- the program ----
struct Output {
  int exit_code = -1;
  std::string text;
};

Output troupe(const std::string& arguments) {
  Output output;
  FILE* pipe = popen((std::string(TROUPE_PROGRAM) + " " + arguments + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) output.text += buffer.data();
  const int status = pclose(pipe);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

std::string two_shares(const std::string& share) {
  return case_text(
      "unit:\n  component: fair-share\n  input: {gpus: 4, queues: [{name: q, request: "
      "9}]}\n  output: {shares: {q: " +
      share + "}}\n");
}

TEST(TroupeRun, PassesAFolderOfCases) {
  const Output output = troupe("run " TROUPE_SOURCE_DIR "/scenarios/conformance/kai");
  EXPECT_EQ(output.exit_code, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("pass  K01  "));
  EXPECT_THAT(output.text, HasSubstr(" 0 failed"));
}

TEST(TroupeRun, SaysWhatDiffersAndExitsWithOne) {
  const CaseFile file(two_shares("5"));
  const Output output = troupe("run " + file.path().string());
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.text, HasSubstr("FAIL  T1"));
  EXPECT_THAT(output.text, HasSubstr("shares.q: expected 5, observed 4"));
  EXPECT_THAT(troupe("run --json " + file.path().string()).text, HasSubstr("\"pass\": false"));
}

TEST(TroupeRun, RunsNothingIfACaseIsMalformed) {
  const CaseFile file(two_shares("4") + "---\n" + two_shares("many"));
  for (const std::string command : {"run ", "check "}) {
    const Output output = troupe(command + file.path().string());
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_THAT(output.text, HasSubstr(".yaml:15:unit.output.shares.q: error: expected a number"));
  }
}

TEST(TroupeRun, RefusesOptionsThatACaseCannotHave) {
  const CaseFile file(two_shares("4"));
  EXPECT_EQ(troupe("run --seed 3 " + file.path().string()).exit_code, 2);
  EXPECT_EQ(troupe("run " + file.path().string()).exit_code, 0);
}

TEST(TroupeCheck, ReadsCasesWithoutRunningThem) {
  const CaseFile file(two_shares("5"));
  const Output output = troupe("check " + file.path().string());
  EXPECT_EQ(output.exit_code, 0);
  EXPECT_THAT(output.text, HasSubstr("1 conformance case"));
}

}  // namespace
}  // namespace troupe::conformance
