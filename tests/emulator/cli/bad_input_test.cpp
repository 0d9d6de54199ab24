// Whatever a user hands the program: a clear word with file and line, exit code 2, never a crash
// and never a run.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/emulator/cli/program.h"
#include "tests/emulator/cli/scenario_folder.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;
using test::Output;
using test::troupe;

// A sound scenario that each test spoils in one place.
class BadInput : public test::ScenarioFolder {
 protected:
  // Expects that `run` and `check` both refuse the file with these words.
  void refused(const std::string& name, const std::string& where, const std::string& what) const {
    const std::string path = (folder_ / name).string();
    for (const std::string& command :
         {std::string("check "), "run --out " + (folder_ / "out").string() + " "}) {
      const Output output = troupe(command + path);
      EXPECT_EQ(output.exit_code, 2) << command << output.text;
      EXPECT_NE(output.text.find(where), std::string::npos)
          << "expected '" << where << "' in: " << output.text;
      EXPECT_NE(output.text.find(what), std::string::npos)
          << "expected '" << what << "' in: " << output.text;
    }
    EXPECT_FALSE(fs::exists(folder_ / "out" / "summary.json"));
  }
};

TEST_F(BadInput, SoundScenarioIsAccepted) {
  write("s.yaml", scenario(""));
  EXPECT_EQ(troupe("check " + (folder_ / "s.yaml").string()).exit_code, 0);
}

TEST_F(BadInput, UnknownKeyGetsASuggestion) {
  write("s.yaml", scenario("manifest: [a.yaml]\n"));
  refused("s.yaml", "s.yaml:6", "manifests");
}

TEST_F(BadInput, MissingFile) {
  write("s.yaml", scenario("manifests: [nowhere.yaml]\n"));
  refused("s.yaml", "nowhere.yaml", "no such file");
  EXPECT_EQ(troupe("check " + (folder_ / "absent.yaml").string()).exit_code, 2);
}

TEST_F(BadInput, MissingTopologyIsNamedWithItsLine) {
  write(
      "s.yaml",
      "apiVersion: troupe/v1\nkind: Scenario\nquestion: Q?\nduration: 10s\ntopology: none.yaml\n");
  refused("s.yaml", "none.yaml", "no such file");
}

TEST_F(BadInput, BadQuantity) {
  write(
      "topology.yaml",
      "apiVersion: troupe/v1\nkind: Topology\nnodes:\n  - {name: a, cpu: \"8\", memory: 32Gigs}\n");
  write("s.yaml", scenario(""));
  refused("s.yaml", "topology.yaml:4", "32Gigs");
}

TEST_F(BadInput, NodesThatCannotBe) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{name: a, cpu: \"0\", memory: 32Gi}", "more than 0"},
      {"{name: a, cpu: \"8\", memory: -1Gi}", "more than 0"},
      {"{name: a, cpu: \"8\", memory: 32Gi, count: 0}", "at least 1"},
      {"{name: a, cpu: \"8\", memory: 32Gi, count: 1000000}", "at most 100000 nodes"},
      {"{name: A_b, cpu: \"8\", memory: 32Gi}", "lower-case letters"},
      {"{name: a, cpu: \"8\", memory: 32Gi, gpus: 2}", "the model of its GPUs"},
      {"{name: a, cpu: \"8\", memory: 32Gi, gpus: 9999, gpuModel: H100}", "at most 1024"},
      {"{name: a, instanceType: m9.huge}", "unknown instance type"}};
  for (const auto& [node, expected] : cases) {
    write("topology.yaml", "apiVersion: troupe/v1\nkind: Topology\nnodes:\n  - " + node + "\n");
    write("s.yaml", scenario(""));
    refused("s.yaml", "topology.yaml:4", expected);
    const Output alone = troupe("check " + (folder_ / "topology.yaml").string());
    EXPECT_EQ(alone.exit_code, 2) << node;
    EXPECT_NE(alone.text.find(expected), std::string::npos) << alone.text;
  }
}

TEST_F(BadInput, BareNumberWhereAUnitIsMeant) {
  write("s.yaml",
        "apiVersion: troupe/v1\nkind: Scenario\nquestion: Q?\nduration: 10\ntopology: "
        "topology.yaml\n");
  refused("s.yaml", "s.yaml:4", "unit");
}

TEST_F(BadInput, NegativeRate) {
  write("s.yaml",
        scenario(
            "traffic:\n  - name: t\n    service: s\n    generator:\n      arrivals: {rate: -3/s}\n"
            "      promptTokens: {constant: 8}\n      outputTokens: {constant: 8}\n"));
  refused("s.yaml", "s.yaml:10", "-3/s");
}

TEST_F(BadInput, TraceWithABrokenLine) {
  write("t.csv",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\nbroken\n");
  write("s.yaml", scenario("traffic:\n  - {name: t, service: s, trace: {file: t.csv}}\n"));
  refused("s.yaml", "t.csv:3", "expected");
}

TEST_F(BadInput, Tab) {
  write("s.yaml", scenario("slo:\n\tttft: 1s\n"));
  refused("s.yaml", "s.yaml:7", "TAB");
}

TEST_F(BadInput, UnrenderedTemplate) {
  write("m.yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Values.name }}\n");
  write("s.yaml", scenario("manifests: [m.yaml]\n"));
  refused("s.yaml", "m.yaml:4", "template");
}

TEST_F(BadInput, OwnersInACycle) {
  const auto job = [](const std::string& name, const std::string& owner) {
    return "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: " + name +
           "\n  ownerReferences:\n    - {apiVersion: batch/v1, kind: Job, name: " + owner +
           ", uid: u-" + owner + "}\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n" +
           "      containers:\n        - {name: main, image: x}\n";
  };
  write("m.yaml", job("a", "b") + "---\n" + job("b", "a"));
  write("s.yaml", scenario("manifests: [m.yaml]\n"));
  refused("s.yaml", "m.yaml:1", "cycle");
}

TEST_F(BadInput, ObjectGivenTwice) {
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: x}]}\n";
  write("m.yaml", pod + "---\n" + pod);
  write("s.yaml", scenario("manifests: [m.yaml]\n"));
  refused("s.yaml", "m.yaml:6", "given twice");
}

TEST_F(BadInput, ObjectThatTheApiServerWouldRefuse) {
  write("m.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
        "    - {name: c, image: x, resources: {limits: {cpu: \"-1\"}}}\n");
  write("s.yaml", scenario("manifests: [m.yaml]\n"));
  refused("s.yaml", "m.yaml:1", "must be greater than or equal to 0");
  EXPECT_EQ(troupe("check " + (folder_ / "m.yaml").string()).exit_code, 2);
}

TEST_F(BadInput, LoadForAServiceThatNobodyMakes) {
  write("s.yaml",
        scenario(
            "traffic:\n  - name: t\n    service: s\n    generator:\n      arrivals: {rate: 3/s}\n"
            "      promptTokens: {constant: 8}\n      outputTokens: {constant: 8}\n"));
  refused("s.yaml", "s.yaml:8", "Service default/s");
}

TEST_F(BadInput, FaultThatHitsNothing) {
  write("s.yaml", scenario("faults:\n  - at: 1s\n    crash: {host: node/b}\n"));
  refused("s.yaml", "s.yaml:8", "no host 'node/b'; there are apiserver/0");
  write("s.yaml", scenario("faults:\n  - at: 1s\n    gpu: {node: a, gpu: 0}\n"));
  refused("s.yaml", "s.yaml:8", "has 0 GPUs");
  write("s.yaml", scenario("faults:\n  - at: 1s\n    interrupt: {node: a}\n"));
  refused("s.yaml", "s.yaml:8", "a topology with a cloud");
  write("s.yaml", scenario("faults:\n  - at: 10s\n    crash: {host: node/a}\n"));
  refused("s.yaml", "s.yaml:7", "the run is over by then");
}

TEST_F(BadInput, VariantWhoseNameIsNoFolder) {
  write("s.yaml", scenario("variants: {\"../up\": {}}\n"));
  const std::string path = (folder_ / "s.yaml").string();
  const Output output = troupe("compare --out " + (folder_ / "out").string() + " " + path);
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_NE(output.text.find("a variant's name names a folder"), std::string::npos) << output.text;
}

TEST_F(BadInput, SeedThatIsNoNumberOf64Bits) {
  write("s.yaml", scenario(""));
  const std::string run = "run " + (folder_ / "s.yaml").string() + " --seed ";
  for (const char* seed : {"-1", "1.5", "abc", "18446744073709551616", "''"}) {
    const Output output = troupe(run + seed);
    EXPECT_EQ(output.exit_code, 2) << seed;
    EXPECT_NE(output.text.find("expected a whole number"), std::string::npos) << output.text;
  }
}

TEST_F(BadInput, EmptyFile) {
  write("s.yaml", "");
  refused("s.yaml", "s.yaml: error: ", "expected");
}

TEST_F(BadInput, FileOfAHundredMegabytes) {
  std::ofstream file(folder_ / "s.yaml", std::ios::binary);
  const std::string block(1 << 20, '#');
  for (int i = 0; i < 100; ++i) file << block;
  file.close();
  refused("s.yaml", "s.yaml", "100 MiB");
}

TEST_F(BadInput, BinaryFile) {
  write("s.yaml", std::string("\x7f"
                              "ELF\0\1\2\3",
                              8));
  refused("s.yaml", "s.yaml", "");
}

TEST_F(BadInput, LatencyWithoutAMinimum) {
  write("s.yaml", scenario("network:\n  api: {from: 0ms, to: 5ms}\n"));
  refused("s.yaml", "s.yaml:7", "minimum above zero");
}

TEST_F(BadInput, UnknownModelListsThoseKnown) {
  write("s.yaml",
        scenario("workloads:\n  - match: {app: x}\n    serving: {model: gpt-9, service: s}\n"));
  refused("s.yaml", "s.yaml:8", "llama-3.1-8b");
}

TEST_F(BadInput, UnknownVariantAndMalformedSetAreRefused) {
  write("s.yaml", scenario(""));
  const std::string run =
      "run --out " + (folder_ / "out").string() + " " + (folder_ / "s.yaml").string();
  EXPECT_EQ(troupe(run + " --variant other").exit_code, 2);
  EXPECT_EQ(troupe(run + " --set nonsense").exit_code, 2);
  EXPECT_EQ(troupe(run + " --set duration=soon").exit_code, 2);
  EXPECT_EQ(troupe(run + " --seed -1").exit_code, 2);
}

TEST_F(BadInput, UnknownCommandsAndOptionsAreRefused) {
  EXPECT_EQ(troupe("").exit_code, 2);
  EXPECT_EQ(troupe("fly").exit_code, 2);
  EXPECT_EQ(troupe("run").exit_code, 2);
  EXPECT_EQ(troupe("run --fast x.yaml").exit_code, 2);
  EXPECT_EQ(troupe("--help").exit_code, 0);
}

TEST_F(BadInput, ARunIsNeverWrittenOverAnother) {
  write("s.yaml", scenario(""));
  const std::string run =
      "run --out " + (folder_ / "out").string() + " " + (folder_ / "s.yaml").string();
  EXPECT_EQ(troupe(run).exit_code, 0);
  const Output again = troupe(run);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.text.find("holds a run already"), std::string::npos);
}

}  // namespace
}  // namespace troupe
