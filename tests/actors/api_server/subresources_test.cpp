// The subresources binding and scale.
#include <gtest/gtest.h>

#include "messages/conditions.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/labels.h"
#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::pod;

const api::ObjectKey kPod = key_for<k8s::Pod>("ns/a");

TEST(Binding, SetsTheNodeAndThePodScheduledCondition) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  EXPECT_EQ(cluster.bind(kPod, "n1").code, 201);
  const auto bound = cluster.stored<k8s::Pod>("ns/a");
  EXPECT_EQ(bound->spec().node_name(), "n1");
  EXPECT_TRUE(is_true(bound->status().conditions(), "PodScheduled"));
  ASSERT_EQ(cluster.network.facts_of<facts::PodBound>().size(), 1u);
}

TEST(Binding, HappensOnce) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  cluster.bind(kPod, "n1");
  const ApiResult again = cluster.bind(kPod, "n2");
  EXPECT_TRUE(again.conflict());
  EXPECT_EQ(again.message,
            "Operation cannot be fulfilled on pods/binding \"a\": pod a is already assigned to "
            "node \"n1\"");
  EXPECT_TRUE(cluster.bind(kPod, "n1").conflict()) << "even to the same node";
}

TEST(Binding, OfTwoSchedulersAtOnceOneWins) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  std::vector<ApiResult> answers;
  cluster.network.as(ApiCluster::kClient, [&](Context& context) {
    for (const char* node : {"n1", "n2"}) {
      cluster.client().api.bind(context, kPod, "", node, [&](Context&, const ApiResult& result) {
        answers.push_back(result);
      });
    }
  });
  cluster.network.run_for(1s);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_TRUE(answers[0].ok());
  EXPECT_TRUE(answers[1].conflict());
}

TEST(Binding, RefusesAPodThatIsLeavingAnotherUidAndAGatedPod) {
  ApiCluster cluster;
  k8s::Pod held = pod("ns", "a");
  held.mutable_metadata()->add_finalizers("a.io/one");
  cluster.create(held);
  EXPECT_TRUE(cluster.bind(kPod, "n1", "another").conflict());
  cluster.remove(kPod);
  EXPECT_NE(cluster.bind(kPod, "n1").message.find("is being deleted"), std::string::npos);
  k8s::Pod gated = pod("ns", "gated");
  gated.mutable_spec()->add_scheduling_gates()->set_name("a.io/wait");
  cluster.create(gated);
  EXPECT_NE(cluster.bind(key_for<k8s::Pod>("ns/gated"), "n1").message.find("schedulingGates"),
            std::string::npos);
  EXPECT_TRUE(cluster.bind(key_for<k8s::Pod>("ns/none"), "n1").not_found());
}

TEST(Binding, CannotBeDoneByAnUpdate) {
  ApiCluster cluster;
  k8s::Pod one = *cluster.create(pod("ns", "a")).as<k8s::Pod>();
  one.mutable_spec()->set_node_name("n1");
  EXPECT_EQ(cluster.update(one).code, 422);
}

k8s::Deployment deployment() {
  k8s::Deployment made;
  made.mutable_metadata()->set_namespace_("ns");
  made.mutable_metadata()->set_name("d");
  made.mutable_spec()->set_replicas(2);
  set_label(*made.mutable_spec()->mutable_selector()->mutable_match_labels(), "app", "x");
  set_label(*made.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels(), "app",
            "x");
  made.mutable_spec()->mutable_template_()->mutable_spec()->add_containers()->set_name("main");
  return made;
}

const api::ObjectKey kDeployment = key_for<k8s::Deployment>("ns/d");

ApiResult scale(ApiCluster& cluster, std::int64_t replicas) {
  return cluster.call([&](ApiClient& api, Context& context, ApiCallback done) {
    api.scale(context, kDeployment, replicas, std::move(done));
  });
}

TEST(Scale, ShowsReplicasAndSelector) {
  ApiCluster cluster;
  cluster.create(deployment());
  const ApiResult result = cluster.call([&](ApiClient& api, Context& context, ApiCallback done) {
    api.get_scale(context, kDeployment, std::move(done));
  });
  const auto shown = result.as<k8s::Scale>();
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(shown->spec().replicas(), 2);
  EXPECT_EQ(shown->status().selector(), "app=x");
}

TEST(Scale, SetsReplicasAndRaisesTheGeneration) {
  ApiCluster cluster;
  cluster.create(deployment());
  EXPECT_TRUE(scale(cluster, 7).ok());
  EXPECT_EQ(cluster.stored<k8s::Deployment>("ns/d")->spec().replicas(), 7);
  EXPECT_EQ(cluster.stored<k8s::Deployment>("ns/d")->metadata().generation(), 2);
  EXPECT_EQ(scale(cluster, -1).code, 422);
}

TEST(Scale, OfAPodDoesNotExist) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  const ApiResult result = cluster.call([&](ApiClient& api, Context& context, ApiCallback done) {
    api.get_scale(context, kPod, std::move(done));
  });
  EXPECT_TRUE(result.not_found());
}

}  // namespace
}  // namespace troupe::apiserver
