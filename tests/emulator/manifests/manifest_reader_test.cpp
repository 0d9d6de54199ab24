#include "emulator/manifests/manifest_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/manifests/document_reader.h"
#include "emulator/manifests/yaml_parser.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/kai.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/labels.h"

namespace troupe::manifests {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n";

std::string manifest_complaint(const std::string& text, const ManifestOptions& options = {}) {
  return to_string(read_manifests(text, "m.yaml", options).diagnostics);
}

template <class T>
T only(const std::string& text) {
  const ManifestFile file = read_manifests(text, "m.yaml");
  EXPECT_EQ(to_string(file.diagnostics), "");
  EXPECT_EQ(file.objects.size(), 1U);
  if (file.objects.empty()) return {};
  const auto* object = dynamic_cast<const T*>(file.objects.front().object.get());
  EXPECT_NE(object, nullptr);
  return object != nullptr ? *object : T{};
}

TEST(ManifestReader, ReadsADeploymentAsPeopleWriteIt) {
  const auto deployment = only<k8s::Deployment>(R"(# the engine
apiVersion: apps/v1
kind: Deployment
metadata:
  name: llama
  namespace: serving
  labels: {app: llama}
spec:
  replicas: 3
  selector:
    matchLabels:
      app: llama
  strategy:
    rollingUpdate: {maxSurge: 1, maxUnavailable: "25%"}
  template:
    metadata:
      labels:
        app: llama
        "kai.scheduler/queue": team-a
    spec:
      schedulerName: kai-scheduler
      terminationGracePeriodSeconds: 0
      nodeSelector:
        cloud.google.com/gke-accelerator: nvidia-h100-80gb
      tolerations:
        - key: nvidia.com/gpu
          operator: Exists
          effect: NoSchedule
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - {key: gpu, operator: In, values: [h100, h200]}
      containers:
        - name: engine
          image: vllm/vllm-openai:v0.10.1
          args: ["--port", "8000"]
          command:
            - sh
            - -c
            - |
              echo ${HOME}
              exec vllm serve
          env:
            - name: POD_IP
              valueFrom: {fieldRef: {fieldPath: status.podIP}}
          resources:
            limits: {nvidia.com/gpu: 1, memory: 80Gi, cpu: 1500m}
            requests: {cpu: 0.5}
          readinessProbe:
            httpGet: {path: /health, port: http}
            periodSeconds: 5
          ports: [{name: http, containerPort: 8000}]
)");
  EXPECT_EQ(deployment.api_version(), "apps/v1");
  EXPECT_EQ(deployment.metadata().namespace_(), "serving");
  EXPECT_EQ(deployment.spec().strategy().rolling_update().max_surge(), "1");
  const k8s::PodSpec& spec = deployment.spec().template_().spec();
  EXPECT_TRUE(spec.has_termination_grace_period_seconds()) << "zero is a value";
  EXPECT_EQ(spec.node_selector(0).key(), "cloud.google.com/gke-accelerator");
  const k8s::Container& container = spec.containers(0);
  EXPECT_EQ(amount_of(container.resources().limits(), "nvidia.com/gpu").to_whole(), 1);
  EXPECT_EQ(container.resources().limits(0).name(), "cpu") << "sorted by name";
  EXPECT_EQ(container.resources().requests(0).quantity(), "0.5");
  EXPECT_EQ(container.env(0).value_from(), R"({"fieldRef":{"fieldPath":"status.podIP"}})");
  EXPECT_EQ(container.readiness_probe().http_get().port(), "http");
}

TEST(ManifestReader, ReadsTheIrregularNames) {
  const auto node = only<k8s::Node>(R"(apiVersion: v1
kind: Node
metadata: {name: gpu-a, creationTimestamp: "2026-01-01T00:00:00Z", uid: "1", resourceVersion: "42"}
spec: {providerID: "aws:///i-1", podCIDR: 10.0.0.0/24}
status:
  nodeInfo: {machineID: m, systemUUID: s, bootID: b, osImage: linux}
  conditions: [{type: Ready, status: "True", lastHeartbeatTime: "2026-01-01T00:00:05Z", lastTransitionTime: null}]
)");
  EXPECT_EQ(node.spec().provider_id(), "aws:///i-1");
  EXPECT_TRUE(node.metadata().has_creation_timestamp());
  EXPECT_EQ(node.status().conditions(0).last_heartbeat_time(), 5'000'000'000);
  EXPECT_FALSE(node.status().conditions(0).has_last_transition_time());
}

TEST(ManifestReader, ReadsQueuesAndPools) {
  const auto queue = only<kai::Queue>(R"(apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team-a}
spec:
  parentQueue: default-parent-queue
  resources:
    gpu: {quota: 4, limit: -1, overQuotaWeight: 1.5}
)");
  EXPECT_EQ(queue.spec().resources().gpu().limit(), -1);
  EXPECT_FALSE(queue.spec().resources().has_cpu());
  const auto pool = only<karpenter::NodePool>(R"(apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  limits: {nvidia.com/gpu: 64}
  disruption:
    consolidationPolicy: WhenEmpty
    consolidateAfter: Never
    budgets: [{nodes: 10%}, {nodes: 0, schedule: "@daily", duration: 10m, reasons: [Drifted]}]
  template:
    spec:
      expireAfter: 720h
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot], minValues: 1}]
)");
  EXPECT_EQ(pool.spec().disruption().consolidate_after(), "Never");
  EXPECT_EQ(pool.spec().disruption().budgets(1).nodes(), "0");
}

TEST(ManifestReader, ReadsEveryKindOfMetric) {
  const auto hpa = only<k8s::HorizontalPodAutoscaler>(R"(apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: llama}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}
  minReplicas: 1
  maxReplicas: 8
  metrics:
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}
    - {type: ContainerResource, containerResource: {name: cpu, container: engine, target: {type: AverageValue, averageValue: 500m}}}
    - {type: Pods, pods: {metric: {name: waiting}, target: {type: AverageValue, averageValue: 5}}}
    - {type: Object, object: {describedObject: {apiVersion: v1, kind: Service, name: s}, metric: {name: rps}, target: {type: Value, value: 2k}}}
    - {type: External, external: {metric: {name: q, selector: {matchLabels: {q: x}}}, target: {type: Value, value: "30"}}}
  behavior:
    scaleDown: {stabilizationWindowSeconds: 0, policies: [{type: Pods, value: 1, periodSeconds: 60}]}
)");
  EXPECT_EQ(hpa.spec().metrics_size(), 5);
  EXPECT_TRUE(hpa.spec().behavior().scale_down().has_stabilization_window_seconds());
  EXPECT_FALSE(hpa.spec().behavior().has_scale_up());
}

TEST(ManifestReader, ReadsManyDocumentsAndLists) {
  const ManifestFile file = read_manifests(R"(---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Namespace, metadata: {name: a}}
  - {apiVersion: v1, kind: Namespace, metadata: {name: b}}
---
apiVersion: v1
kind: PodList
metadata: {resourceVersion: "1"}
items:
  - metadata: {name: p}
---
apiVersion: v1
kind: List
items: []
---
- {apiVersion: v1, kind: Namespace, metadata: {name: c}}
)",
                                           "m.yaml");
  EXPECT_EQ(to_string(file.diagnostics), "");
  ASSERT_EQ(file.objects.size(), 4U);
  EXPECT_EQ(file.objects[1].line, 6);
  EXPECT_EQ(file.objects[2].kind->name, "Pod");
  EXPECT_EQ(meta_of(*file.objects[3].object).name(), "c");
}

TEST(ManifestReader, ReadsJson) {
  const auto pod = only<k8s::Pod>(
      "{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Pod\",\n\t\"metadata\": {\"name\": \"p\"}\n}\n");
  EXPECT_EQ(pod.metadata().name(), "p");
}

TEST(ManifestReader, NamesTheNearMissOfAField) {
  EXPECT_EQ(
      manifest_complaint(
          "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  replcas: 3\n"),
      "m.yaml:5:spec.replcas: error: unknown field, did you mean \"replicas\"?\n");
  EXPECT_THAT(manifest_complaint(std::string(kPod) + "spec:\n  node_selector: {a: b}\n"),
              HasSubstr("did you mean \"nodeSelector\"?"));
  EXPECT_THAT(manifest_complaint(std::string(kPod) + "spec:\n  conatiners: []\n"),
              HasSubstr("did you mean \"containers\"?"));
}

TEST(ManifestReader, WarnsOfFieldsThatAreNotModelled) {
  const std::string text =
      std::string(kPod) + "spec:\n  fancyNewField: 1\n  securityContext: {runAsUser: 1}\n";
  EXPECT_EQ(manifest_complaint(text),
            "m.yaml:5:spec.fancyNewField: warning: read, not modelled\n"
            "m.yaml:6:spec.securityContext: warning: read, not modelled\n");
  EXPECT_THAT(manifest_complaint(text, {.strict = true}),
              HasSubstr("m.yaml:5:spec.fancyNewField: error"));
  EXPECT_EQ(manifest_complaint(std::string(kPod) + "spec: {securityContext: {}}\n"), "")
      << "empty says nothing";
}

TEST(ManifestReader, KeepsWhatItDoesNotModel) {
  const ManifestFile file =
      read_manifests(std::string(kPod) + "spec: {securityContext: {runAsUser: 1}}\n", "m.yaml");
  EXPECT_EQ(dynamic_cast<const k8s::Pod&>(*file.objects[0].object).spec().security_context(),
            R"({"runAsUser":1})");
}

TEST(ManifestReader, NamesARepeatedWarningOnce) {
  std::string text;
  for (int i = 0; i < 3; ++i) text += "---\n" + std::string(kPod) + "spec: {fancyNewField: 1}\n";
  EXPECT_EQ(manifest_complaint(text),
            "m.yaml:5:spec.fancyNewField: warning: read, not modelled (and 2 more in this file)\n");
}

TEST(ManifestReader, NamesABoundedNumberOfMistakes) {
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += "- x\n";
  const ManifestFile file = read_manifests(text, "m.yaml");
  EXPECT_EQ(file.diagnostics.size(), 201U);
  EXPECT_EQ(file.diagnostics.back().message, "and 800 more");
}

TEST(ManifestReader, IgnoresWhatTheApiServerKeepsForItself) {
  EXPECT_EQ(manifest_complaint("apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  managedFields: "
                               "[{manager: kubectl}]\n  selfLink: /x\n"),
            "");
}

TEST(ManifestReader, WarnsOfKindsThatAreNotModelled) {
  EXPECT_EQ(manifest_complaint(
                std::string(kPod) +
                "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\n"),
            "m.yaml:5:kind: warning: Role of rbac.authorization.k8s.io/v1 is read, not modelled\n");
}

TEST(ManifestReader, TellsKindsOfOneNameApartByTheirGroup) {
  const char* others[] = {
      "kueue.x-k8s.io/v1beta2\nkind: Topology", "scheduling.volcano.sh/v1beta1\nkind: PodGroup",
      "batch.volcano.sh/v1alpha1\nkind: Job",   "kwok.sigs.run-ai.com/v1beta1\nkind: NodePool",
      "serving.knative.dev/v1\nkind: Service",  "autoscaling/v1\nkind: HorizontalPodAutoscaler",
      "karpenter.sh/v1beta1\nkind: NodePool"};
  for (const char* other : others) {
    const ManifestFile file = read_manifests(
        "apiVersion: " + std::string(other) + "\nmetadata: {name: x}\nspec: {anything: 1}\n",
        "m.yaml");
    EXPECT_TRUE(file.objects.empty()) << other;
    EXPECT_THAT(to_string(file.diagnostics), HasSubstr("warning")) << other;
  }
}

TEST(ManifestReader, NamesTheNearMissOfAKind) {
  EXPECT_EQ(manifest_complaint("apiVersion: apps/v1\nkind: Deploymnet\nmetadata: {name: d}\n"),
            "m.yaml:2:kind: error: unknown kind \"Deploymnet\", did you mean \"Deployment\"?\n");
}

TEST(ManifestReader, RefusesAKindInTheWrongGroup) {
  EXPECT_EQ(manifest_complaint("apiVersion: v1\nkind: Deployment\nmetadata: {name: d}\n"),
            "m.yaml:1:apiVersion: error: found \"v1\", expected \"apps/v1\" for a Deployment\n");
  EXPECT_THAT(
      manifest_complaint("apiVersion: karpentr.sh/v1\nkind: NodePool\nmetadata: {name: d}\n"),
      HasSubstr("expected \"karpenter.sh/v1\""));
}

TEST(ManifestReader, RefusesWhatIsNoObject) {
  EXPECT_THAT(manifest_complaint("kind: Pod\n"),
              HasSubstr("m.yaml:1:apiVersion: error: is missing"));
  EXPECT_THAT(manifest_complaint("apiVersion: v1\nmetadata: {}\n"),
              HasSubstr("m.yaml:1:kind: error: is missing"));
  EXPECT_THAT(manifest_complaint("apiversion: v1\nkind: Pod\n"),
              HasSubstr("did you mean it by \"apiversion\"?"));
  EXPECT_THAT(manifest_complaint("just text\n"),
              HasSubstr("expected a Kubernetes object with apiVersion and kind, found the text"));
  EXPECT_THAT(manifest_complaint("apiVersion: troupe/v1\nkind: Scenario\n"),
              HasSubstr("found a Scenario of troupe"));
}

TEST(ManifestReader, SaysThatNothingActsOnADaemonSet) {
  EXPECT_EQ(manifest_complaint("apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: s}\n"),
            "m.yaml:1:kind: warning: DaemonSet is kept, and nothing acts on it yet\n");
}

TEST(ManifestReader, RefusesEmptyFiles) {
  for (const char* text : {"", "---\n---\n", "# nothing\n"})
    EXPECT_THAT(manifest_complaint(text), HasSubstr("found no object")) << text;
}

TEST(ManifestReader, WantsNames) {
  EXPECT_EQ(manifest_complaint("apiVersion: v1\nkind: Pod\nspec: {}\n"),
            "m.yaml:1:metadata.name: error: is required and missing\n");
  EXPECT_EQ(manifest_complaint("apiVersion: v1\nkind: Pod\nmetadata: {generateName: p-}\n"), "");
  EXPECT_THAT(manifest_complaint("apiVersion: v1\nkind: Pod\nmetadata:\n  name: Llama_0\n"),
              HasSubstr("m.yaml:4:metadata.name: error"));
  EXPECT_THAT(manifest_complaint("apiVersion: v1\nkind: Pod\nmetadata: {name: a/b}\n"),
              HasSubstr("found \"a/b\""));
}

TEST(ManifestReader, RefusesBadQuantities) {
  EXPECT_THAT(
      manifest_complaint(std::string(kPod) + "spec:\n  containers:\n    - name: c\n      "
                                             "resources:\n        limits: {memory: 80GiB}\n"),
      HasSubstr("m.yaml:8:spec.containers[0].resources.limits.memory: error: \"80GiB\" is "
                "not a quantity"));
}

TEST(ManifestReader, WantsAQuantityBehindAResource) {
  EXPECT_EQ(
      manifest_complaint(
          "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus:\n  capacity:\n    cpu:\n"),
      "m.yaml:6:status.capacity.cpu: error: expected a value, found nothing\n");
}

TEST(ManifestReader, WantsTextsInQuotesAsKubectlDoes) {
  EXPECT_EQ(
      manifest_complaint("apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {gpu: true}}\n"),
      "m.yaml:3:metadata.labels.gpu: error: expected a text, found the boolean true: write "
      "it in quotes\n");
  EXPECT_THAT(manifest_complaint(std::string(kPod) +
                                 "spec: {containers: [{name: c, env: [{name: N, value: 8}]}]}\n"),
              HasSubstr("expected a text, found the number 8: write it in quotes"));
}

TEST(ManifestReader, RefusesWordsThatTheFieldDoesNotHave) {
  EXPECT_THAT(manifest_complaint(std::string(kPod) + "spec: {restartPolicy: Sometimes}\n"),
              HasSubstr("m.yaml:4:spec.restartPolicy: error: expected one of Always, OnFailure, "
                        "Never, found the text \"Sometimes\""));
  EXPECT_THAT(
      manifest_complaint("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec: "
                         "{disruption: {consolidateAfter: 30}}\n"),
      HasSubstr("\"30\" has no unit: expected a duration such as \"45s\", \"1h30m\" or "
                "\"250ms\" or Never"));
}

TEST(ManifestReader, WarnsOfPlaceholders) {
  EXPECT_THAT(manifest_complaint(std::string(kPod) + "spec: {nodeName: \"${NODE}\"}\n"),
              HasSubstr("m.yaml:4:spec.nodeName: warning: found the text \"${NODE}\", a "
                        "placeholder that was not substituted"));
  EXPECT_THAT(manifest_complaint(std::string(kPod) + "spec: {schedulerName: <SCHEDULER>}\n"),
              HasSubstr("warning"));
  EXPECT_THAT(
      manifest_complaint("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: "
                         "{replicas: \"${N:=1}\"}\n"),
      HasSubstr("expected a whole number, found the text \"${N:=1}\", a placeholder that "
                "was not substituted"));
  EXPECT_EQ(manifest_complaint(std::string(kPod) +
                               "spec: {containers: [{name: c, args: [\"${HOME}\"]}]}\n"),
            "")
      << "a shell's own";
}

TEST(ManifestReader, ReadsPatchesWithTheirNulls) {
  const ManifestFile file = read_manifests(
      "apiVersion: apps/v1\nkind: Deployment\nspec:\n  paused: null\n  template:\n    spec:\n      "
      "nodeSelector: {a: null, b: x}\n",
      "m.yaml", {.partial = true});
  EXPECT_EQ(to_string(file.diagnostics), "");
  EXPECT_THAT(file.objects.at(0).cleared,
              ::testing::ElementsAre("spec.paused", "spec.template.spec.nodeSelector.a"));
}

TEST(ManifestReader, ReadsObjectsInsideALargerDocument) {
  Diagnostics diagnostics;
  const YamlRef root = parse_document(
      "steps:\n  - apply:\n      apiVersion: v1\n      kind: Pod\n      metadata: {name: p}\n      "
      "spec: {nodeName: null, prioriti: 1}\n",
      "s.yaml", diagnostics);
  ManifestFile file;
  read_objects(*find_path(*root, "steps[0].apply"), "s.yaml",
               {.partial = true, .path = "steps[0].apply"}, file);
  EXPECT_EQ(
      to_string(file.diagnostics),
      "s.yaml:6:steps[0].apply.spec.prioriti: error: unknown field, did you mean \"priority\"?\n");
  EXPECT_THAT(file.objects.at(0).cleared, ::testing::ElementsAre("spec.nodeName"));
}

}  // namespace
}  // namespace troupe::manifests
