#include "emulator/manifests/writer.h"

#include <gtest/gtest.h>

#include "emulator/manifests/document_reader.h"
#include "emulator/manifests/manifest_reader.h"
#include "messages/k8s/core.pb.h"
#include "messages/labels.h"
#include "tests/emulator/manifests/sample.pb.h"

namespace troupe::manifests {
namespace {

constexpr const char* kObjects = R"(---
apiVersion: v1
kind: Pod
metadata:
  name: llama-0
  creationTimestamp: 2026-01-01T00:00:00.5Z
  labels:
    app: llama
    version: "1.31"
    weird: "yes"
  annotations:
    empty: ""
    note: |
      two
        lines
spec:
  containers:
    - name: engine
      command:
        - sh
        - -c
        - "echo \"x: y\" # no comment"
      ports:
        - containerPort: 8000
      resources:
        limits:
          nvidia.com/gpu: "1"
      readinessProbe:
        httpGet:
          port: 8000
      securityContext:
        runAsUser: 0
  volumes:
    - name: cache
      emptyDir: {}
  terminationGracePeriodSeconds: 0
status:
  podIP: node/gpu-a/pod/1
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: team-a
spec:
  resources:
    gpu:
      quota: 4
      limit: -1
      overQuotaWeight: 1.5
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: b
spec:
  minAvailable: 2
  maxUnavailable: 25%
)";

std::string yaml_of(const ManifestFile& file) {
  std::vector<const google::protobuf::Message*> objects;
  for (const Manifest& manifest : file.objects) objects.push_back(manifest.object.get());
  return to_yaml(objects);
}

std::vector<std::string> bytes_of(const ManifestFile& file) {
  std::vector<std::string> bytes;
  for (const Manifest& manifest : file.objects)
    bytes.push_back(manifest.object->SerializeAsString());
  return bytes;
}

TEST(Writer, ReadsBackWhatItWrites) {
  const ManifestFile first = read_manifests(kObjects, "m.yaml");
  ASSERT_EQ(first.objects.size(), 3U);
  ASSERT_FALSE(has_errors(first.diagnostics)) << to_string(first.diagnostics);
  const ManifestFile second = read_manifests(yaml_of(first), "written.yaml");
  ASSERT_FALSE(has_errors(second.diagnostics)) << to_string(second.diagnostics) << yaml_of(first);
  EXPECT_EQ(bytes_of(first), bytes_of(second));
  EXPECT_EQ(yaml_of(first), yaml_of(second));
  for (std::size_t i = 0; i < first.objects.size(); ++i) {
    const ManifestFile json = read_manifests(to_json(*first.objects[i].object), "written.json");
    ASSERT_EQ(json.objects.size(), 1U) << to_string(json.diagnostics);
    EXPECT_EQ(json.objects[0].object->SerializeAsString(), bytes_of(first)[i]);
  }
}

TEST(Writer, WritesWhatPeopleWrite) {
  const ManifestFile file = read_manifests(kObjects, "m.yaml");
  const std::string yaml = yaml_of(file);
  for (const char* line :
       {"  creationTimestamp: 2026-01-01T00:00:00.5Z\n", "    version: \"1.31\"\n",
        "    weird: \"yes\"\n", "    note: |\n      two\n        lines\n",
        "        - containerPort: 8000\n", "          nvidia.com/gpu: \"1\"\n",
        "          port: 8000\n", "      emptyDir: {}\n", "  minAvailable: 2\n",
        "  maxUnavailable: 25%\n", "      limit: -1\n", "        - -c\n"}) {
    EXPECT_NE(yaml.find(line), std::string::npos) << line << "in\n" << yaml;
  }
}

TEST(Writer, WritesJsonWithRealTypes) {
  k8s::Pod pod;
  pod.set_kind("Pod");
  pod.mutable_spec()->set_priority(0);
  pod.mutable_metadata()->set_generation(3'000'000'000);
  EXPECT_EQ(to_json(pod, -1),
            R"({"kind":"Pod","metadata":{"generation":3000000000},"spec":{"priority":0}})");
}

// Texts that some reader of YAML takes for something else.
TEST(Writer, QuotesEveryTrap) {
  for (const std::string text :
       {"",     " ",     "true",  "no",    "on",       "y",          "null", "~",
        "1",    "1.5",   "1e3",   "0x1f",  "1:30",     "2026-01-01", "- a",  "a: b",
        "a #b", "#a",    "&a",    "*a",    "!a",       "|",          ">",    "%a",
        "@a",   "`a`",   "{a}",   "[a]",   "'a'",      "\"a\"",      "a\tb", "a\n",
        "\na",  " a\nb", "a \nb", "a\n\n", "a\nb",     "a\r\nb",     "é",    "-",
        "---",  "...",   "a:",    ":a",    "1_000",    ".inf",       ".nan", "=",
        "<<",   "a\\b",  "?",     "? a",   "{{ .x }}", "\x01",       "a,b",  "plain words here"}) {
    k8s::Pod pod;
    pod.set_api_version("v1");
    pod.set_kind("Pod");
    pod.mutable_metadata()->set_name("p");
    set_label(*pod.mutable_metadata()->mutable_annotations(), "value", text);
    set_label(*pod.mutable_metadata()->mutable_annotations(), text + "k", "v");
    const std::string yaml = to_yaml(pod);
    const ManifestFile back = read_manifests(yaml, "m.yaml");
    ASSERT_EQ(back.objects.size(), 1U) << yaml << to_string(back.diagnostics);
    const auto& read = dynamic_cast<const k8s::Pod&>(*back.objects[0].object);
    const std::string* value = find_label(read.metadata().annotations(), "value");
    ASSERT_NE(value, nullptr) << yaml;
    EXPECT_EQ(*value, text) << yaml;
    EXPECT_NE(find_label(read.metadata().annotations(), text + "k"), nullptr) << yaml;
  }
}

TEST(Writer, WritesOurOwnFormatsWithTheirUnits) {
  test::Sample sample;
  sample.set_api_version("troupe/v1");
  sample.set_kind("Sample");
  sample.set_duration(5'400'000'000'000);
  sample.set_bandwidth(200'000'000'000);
  sample.set_memory(80LL << 30);
  sample.set_rate(0.05);
  sample.set_share(0.07);
  sample.set_micro_rate(50'000);
  sample.set_percent(7);
  sample.set_policy(test::Sample::LEAST_REQUEST);
  sample.set_raw(R"({"a":[1,{"b":null}],"c":"1"})");
  auto* named = sample.add_named();
  named->set_name("first");
  named->mutable_part()->set_title("x");
  sample.mutable_generator()->set_title("y");
  sample.add_steps(250'000'000);
  const std::string yaml = to_yaml(sample);
  for (const char* line :
       {"duration: 1h30m\n", "bandwidth: 200Gbit\n", "memory: 80GiB\n", "rate: 3/min\n",
        "share: 7%\n", "microRate: 3/min\n", "percent: 7%\n", "policy: least-request\n",
        "named:\n  first:\n    title: x\n", "raw:\n  a:\n    - 1\n    - b: null\n  c: \"1\"\n",
        "steps:\n  - 250ms\n"}) {
    EXPECT_NE(yaml.find(line), std::string::npos) << line << "in\n" << yaml;
  }
  test::Sample back;
  EXPECT_EQ(to_string(read_document(yaml, "s.yaml", back)), "");
  EXPECT_EQ(back.SerializeAsString(), sample.SerializeAsString());
}

}  // namespace
}  // namespace troupe::manifests
