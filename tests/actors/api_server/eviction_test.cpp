#include "actors/api_server/eviction.h"

#include <gtest/gtest.h>

#include "messages/conditions.h"
#include "messages/labels.h"
#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::pod;

struct EvictionTest : ::testing::Test {
  ApiCluster cluster;

  api::ObjectKey ready_pod(const std::string& name) {
    k8s::Pod one = pod("ns", name);
    set_label(*one.mutable_metadata()->mutable_labels(), "app", "llama");
    cluster.create(one);
    const auto key = key_for<k8s::Pod>("ns", name);
    cluster.bind(key, "n1");
    k8s::Pod running = *cluster.stored<k8s::Pod>("ns/" + name);
    running.mutable_status()->set_phase("Running");
    set_condition(*running.mutable_status()->mutable_conditions(),
                  {.type = "Ready", .status = "True"}, kTimeZero);
    cluster.update_status(running);
    return key;
  }
  void budget(const std::string& name, std::int32_t allowed, std::int64_t observed = 1) {
    k8s::PodDisruptionBudget pdb;
    pdb.mutable_metadata()->set_namespace_("ns");
    pdb.mutable_metadata()->set_name(name);
    pdb.mutable_spec()->set_min_available("1");
    set_label(*pdb.mutable_spec()->mutable_selector()->mutable_match_labels(), "app", "llama");
    cluster.create(pdb);
    pdb.mutable_status()->set_disruptions_allowed(allowed);
    pdb.mutable_status()->set_current_healthy(2);
    pdb.mutable_status()->set_desired_healthy(2);
    pdb.mutable_status()->set_observed_generation(observed);
    cluster.update_status(pdb);
  }
  const k8s::PodDisruptionBudgetStatus status(const std::string& name) {
    return cluster.stored<k8s::PodDisruptionBudget>("ns/" + name)->status();
  }
};

TEST_F(EvictionTest, WithoutABudgetDeletesThePodAndSaysWhy) {
  const auto key = ready_pod("a");
  EXPECT_EQ(cluster.evict(key).code, 201);
  const auto leaving = cluster.stored<k8s::Pod>("ns/a");
  ASSERT_NE(leaving, nullptr);
  EXPECT_TRUE(leaving->metadata().has_deletion_timestamp());
  EXPECT_TRUE(is_true(leaving->status().conditions(), "DisruptionTarget"));
  ASSERT_EQ(cluster.network.facts_of<facts::PodEvicted>().size(), 1u);
}

TEST_F(EvictionTest, TakesOneOffTheBudget) {
  budget("pdb", 2);
  EXPECT_TRUE(cluster.evict(ready_pod("a")).ok());
  EXPECT_EQ(status("pdb").disruptions_allowed(), 1);
  ASSERT_EQ(status("pdb").disrupted_pods_size(), 1);
  EXPECT_EQ(status("pdb").disrupted_pods(0).name(), "a");
}

TEST_F(EvictionTest, IsRefusedWith429OnceTheBudgetIsSpent) {
  budget("pdb", 1);
  const auto first = ready_pod("a");
  const auto second = ready_pod("b");
  EXPECT_TRUE(cluster.evict(first).ok());
  const ApiResult refused = cluster.evict(second);
  EXPECT_TRUE(refused.too_many_requests());
  EXPECT_TRUE(refused.message.starts_with(
      "Cannot evict pod as it would violate the pod's disruption budget."));
  EXPECT_FALSE(cluster.stored<k8s::Pod>("ns/b")->metadata().has_deletion_timestamp());
}

TEST_F(EvictionTest, OfTwoAtOnceOnlyOneTakesTheLastDisruption) {
  budget("pdb", 1);
  const auto first = ready_pod("a");
  const auto second = ready_pod("b");
  std::vector<int> codes;
  cluster.network.as(ApiCluster::kClient, [&](Context& context) {
    for (const auto& key : {first, second}) {
      cluster.client().api.evict(context, key, {}, [&](Context&, const ApiResult& result) {
        codes.push_back(result.code);
      });
    }
  });
  cluster.network.run_for(1s);
  std::sort(codes.begin(), codes.end());
  EXPECT_EQ(codes, (std::vector<int>{201, 429}));
}

TEST_F(EvictionTest, WaitsForABudgetThatItsControllerHasNotSeen) {
  budget("pdb", 1, 0);
  const ApiResult refused = cluster.evict(ready_pod("a"));
  EXPECT_TRUE(refused.too_many_requests());
  EXPECT_EQ(refused.retry_after_seconds, 10);
}

TEST_F(EvictionTest, OfAPodUnderTwoBudgetsIsAnError) {
  budget("one", 1);
  budget("two", 1);
  EXPECT_EQ(cluster.evict(ready_pod("a")).code, 500);
}

TEST_F(EvictionTest, OfAPodThatIsGoingAlreadyNeedsNoBudget) {
  budget("pdb", 0);
  const auto key = ready_pod("a");
  cluster.remove(key);
  EXPECT_TRUE(cluster.evict(key).ok());
  EXPECT_TRUE(cluster.network.facts_of<facts::PodEvicted>().empty());
}

TEST_F(EvictionTest, AnUnreadyPodMayGoWhileTheBudgetIsMetWithoutIt) {
  budget("pdb", 0);
  const auto key = ready_pod("a");
  k8s::Pod unready = *cluster.stored<k8s::Pod>("ns/a");
  set_condition(*unready.mutable_status()->mutable_conditions(),
                {.type = "Ready", .status = "False"}, kTimeZero);
  cluster.update_status(unready);
  EXPECT_TRUE(cluster.evict(key).ok());
  EXPECT_EQ(status("pdb").disruptions_allowed(), 0);
}

TEST_F(EvictionTest, KeepsItsPreconditionsBeforeItChargesTheBudget) {
  budget("pdb", 1);
  EXPECT_TRUE(cluster.evict(ready_pod("a"), {.uid = "another"}).conflict());
  EXPECT_EQ(status("pdb").disruptions_allowed(), 1);
}

TEST_F(EvictionTest, OfAnAbsentPodIsNotFound) {
  EXPECT_TRUE(cluster.evict(key_for<k8s::Pod>("ns/none")).not_found());
}

}  // namespace
}  // namespace troupe::apiserver
