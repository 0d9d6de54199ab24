// What `explain` says of queues, gangs, services and requests: who holds them, with the numbers.
#include <gmock/gmock.h>

#include "emulator/config/inputs.h"
#include "emulator/console/read_commands.h"
#include "emulator/manifests/manifest_reader.h"
#include "tests/emulator/console/attached_run.h"

namespace troupe::console {
namespace {

using testing::HasSubstr;

// Two nodes of four GPUs; team-a may have three of them, and two of its gang's four pods run.
constexpr const char* kObjects = R"(
apiVersion: v1
kind: Node
metadata: {name: a}
status:
  allocatable: {cpu: "64", memory: 256Gi, nvidia.com/gpu: "4", pods: "110"}
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: v1
kind: Node
metadata: {name: b}
status:
  allocatable: {cpu: "64", memory: 256Gi, nvidia.com/gpu: "4", pods: "110"}
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: org}
spec: {resources: {gpu: {quota: 8, limit: -1, overQuotaWeight: 1}}}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team-a}
spec: {parentQueue: org, resources: {gpu: {quota: 2, limit: 3, overQuotaWeight: 1}}}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: lost}
spec: {parentQueue: nowhere}
---
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: train, namespace: prod}
spec: {minMember: 2, queue: team-a}
)";

std::string pod(const std::string& name, const std::string& node) {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         ", namespace: prod, uid: " + name + ", annotations: {pod-group-name: train}}\nspec: {" +
         (node.empty() ? "" : "nodeName: " + node + ", ") +
         "containers: [{name: main, image: \"x:1\", resources: {requests: {nvidia.com/gpu: \"1\"}, "
         "limits: {nvidia.com/gpu: \"1\"}}}]}\n";
}

class ExplainTest : public testing::Test {
 protected:
  ExplainTest() {
    commit(kObjects + pod("p0", "a") + pod("p1", "b") + pod("p2", "") + pod("p3", ""));
  }

  void commit(const std::string& yaml) {
    manifests::ManifestFile file = manifests::read_manifests(yaml, "objects");
    EXPECT_FALSE(manifests::has_errors(file.diagnostics)) << manifests::to_string(file.diagnostics);
    for (config::ManifestObject& one : config::objects_of(std::move(file.objects))) {
      const k8s::ObjectMeta& meta = meta_of(one.object.message());
      facts::ObjectCommitted fact;
      fact.set_kind(std::string(find_kind(*one.object.message().GetDescriptor())->name));
      fact.set_namespace_(meta.namespace_());
      fact.set_name(meta.name());
      tell(Payload::of(std::move(fact), {one.object}));
    }
  }
  void tell(Payload fact, std::int64_t second = 1) {
    view_.on_fact({{.time = from_ns(second * 1'000'000'000)}, "somebody", std::move(fact)});
  }
  std::string ask(const std::vector<std::string>& words) {
    const RunView run{view_, plan_, from_ns(9'000'000'000)};
    return explain(run, words, false).text;
  }

  ClusterView view_;
  plan::RunPlan plan_;
};

TEST_F(ExplainTest, AQueueSaysWhatItMayHaveAndWhoWaitsForIt) {
  const std::string said = ask({"queue", "team-a"});
  EXPECT_THAT(said, HasSubstr("held by: its limit"));
  EXPECT_THAT(said, HasSubstr("GPUs 2 allocated, 4 asked for, quota 2, limit 3, fair share 3"));
  EXPECT_THAT(said, HasSubstr("queue org: GPUs 2 allocated, 4 asked for, quota 8"));
  EXPECT_THAT(said, HasSubstr("gang prod/train waits with 2 pods"));
}

TEST_F(ExplainTest, AQueueWithoutItsParentIsLeftOut) {
  EXPECT_THAT(ask({"queue", "lost"}), HasSubstr("its parent nowhere is missing"));
}

TEST_F(ExplainTest, AGangSaysHowManyOfItWaitAndForWhat) {
  const std::string said = ask({"podgroup", "train", "-n", "prod"});
  EXPECT_THAT(said, HasSubstr("gang of at least 2: 2 pods have a node, 2 wait, 0 are gated"));
  EXPECT_THAT(said, HasSubstr("held by: scheduler"));
  EXPECT_THAT(said, HasSubstr("limit 3"));
  EXPECT_THAT(ask({"pod", "p2", "-n", "prod"}), HasSubstr("queue team-a: GPUs 2 allocated"));
}

TEST_F(ExplainTest, ARequestSaysWhereItWaitsAndHowItEnded) {
  commit(
      "apiVersion: v1\nkind: Service\nmetadata: {name: llm, namespace: prod}\n"
      "spec: {selector: {app: llm}, ports: [{port: 80}]}\n");
  facts::RequestIssued issued;
  issued.set_request(7);
  issued.set_service("prod/llm");
  issued.set_prompt_tokens(100);
  tell(Payload::of(issued), 2);
  EXPECT_THAT(ask({"request", "7"}), HasSubstr("held by: router"));
  EXPECT_THAT(ask({"request/7"}),
              HasSubstr("issued 7s ago to service prod/llm: 100 prompt tokens"));
  EXPECT_THAT(ask({"svc", "llm", "-n", "prod"}), HasSubstr("1 wait for their first token"));
  facts::RequestEnded ended;
  ended.set_request(7);
  ended.set_service("prod/llm");
  ended.set_outcome(facts::RequestEnded::TIMED_OUT);
  ended.set_e2e_ns(5'000'000'000);
  ended.set_reason("deadline exceeded");
  tell(Payload::of(ended), 7);
  const std::string said = ask({"request", "7"});
  EXPECT_THAT(said, HasSubstr("timed out after 5s"));
  EXPECT_THAT(said, HasSubstr("no token ever came"));
  EXPECT_THAT(said, HasSubstr("deadline exceeded"));
  EXPECT_THAT(ask({"svc", "llm", "-n", "prod"}), HasSubstr("1 ended with: deadline exceeded"));
  EXPECT_THAT(ask({"request", "8"}), HasSubstr("not found"));
  EXPECT_THAT(ask({"request", "x"}), HasSubstr("usage"));
}

}  // namespace
}  // namespace troupe::console
