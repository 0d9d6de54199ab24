// What a LeaderWorkerSet does next, decided on groups that are written down here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/leader_worker_set/plan.h"
#include "actors/workloads/objects/owners.h"
#include "tests/actors/workloads/cluster.h"
#include "tests/actors/workloads/leader_worker_set_cases.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class LeaderWorkerSetPlanTest : public ::testing::Test {
 protected:
  LeaderWorkerSetPlanTest() { set_.mutable_metadata()->set_uid("uid-llm"); }

  /// A pod as the cluster has it, running and ready unless told otherwise.
  void have(k8s::Pod pod, bool ready = true) {
    pod.mutable_metadata()->set_uid("uid-" + pod.metadata().name());
    pod.mutable_spec()->set_node_name("n1");
    pod.mutable_status()->set_phase("Running");
    set_condition(*pod.mutable_status()->mutable_conditions(), {"Ready", ready ? "True" : "False"},
                  at(0s));
    change(pod.metadata().name(), [&](k8s::Pod& now) { now = pod; });
  }
  void change(const std::string& name, const std::function<void(k8s::Pod&)>& edit) {
    edit(by_name_[name]);
    pods_.set(std::make_shared<const k8s::Pod>(by_name_[name]));
  }
  void have_group(int group, bool ready = true) {
    const k8s::Pod leader = leader_pod(set_, group);
    have(leader, ready);
    const k8s::Pod& born = by_name_.at(leader.metadata().name());
    for (int worker = 1; worker < size_of(set_); ++worker)
      have(worker_pod(set_, born, worker), ready);
  }
  void have_groups(int count) {
    for (int group = 0; group < count; ++group) have_group(group);
  }
  LwsPlan plan() { return plan_leader_worker_set(set_, pods_, at(1s)); }
  static std::vector<std::string> created(const LwsPlan& plan) {
    std::vector<std::string> names;
    for (const k8s::Pod& pod : plan.create) names.push_back(pod.metadata().name());
    return names;
  }
  static std::vector<int> removed(const LwsPlan& plan) {
    std::vector<int> groups;
    for (const LwsPlan::Removal& removal : plan.remove) groups.push_back(removal.group);
    return groups;
  }
  /// A new template: all pods that are there are of an old revision.
  void update_template() {
    set_.mutable_spec()
        ->mutable_leader_worker_template()
        ->mutable_worker_template()
        ->mutable_spec()
        ->mutable_containers(0)
        ->set_image("vllm:2");
  }

  lws::LeaderWorkerSet set_ = leader_worker_set(2, 3);
  PodIndex pods_;
  std::map<std::string, k8s::Pod> by_name_;
};

TEST_F(LeaderWorkerSetPlanTest, LeadersComeFirstAndBringTheirWorkers) {
  EXPECT_THAT(created(plan()), ElementsAre("llm-0", "llm-1"));
  have(leader_pod(set_, 0), false);
  EXPECT_THAT(created(plan()), ElementsAre("llm-1", "llm-0-1", "llm-0-2"));
}

TEST_F(LeaderWorkerSetPlanTest, WorkersMayHaveToWaitForAReadyLeader) {
  set_.mutable_spec()->set_startup_policy("LeaderReady");
  have(leader_pod(set_, 0), false);
  EXPECT_THAT(created(plan()), ElementsAre("llm-1"));
  have(leader_pod(set_, 0), true);
  EXPECT_THAT(created(plan()), ElementsAre("llm-1", "llm-0-1", "llm-0-2"));
}

TEST_F(LeaderWorkerSetPlanTest, PodsKnowTheirPlaceInTheGroup) {
  have(leader_pod(set_, 1));
  const k8s::Pod worker = worker_pod(set_, by_name_.at("llm-1"), 2);
  const LabelMap& labels = worker.metadata().labels();
  EXPECT_EQ(worker.metadata().name(), "llm-1-2");
  EXPECT_EQ(label_or(labels, kGroupIndexLabel), "1");
  EXPECT_EQ(label_or(labels, kWorkerIndexLabel), "2");
  EXPECT_EQ(label_or(labels, kGroupKeyLabel),
            label_or(by_name_.at("llm-1").metadata().labels(), kGroupKeyLabel));
  EXPECT_EQ(label_or(worker.metadata().annotations(), kLeaderNameAnnotation), "llm-1");
  EXPECT_EQ(controller_uid(worker.metadata()), "uid-llm-1");
  std::map<std::string, std::string> variables;
  for (const auto& variable : worker.spec().containers(0).env()) {
    variables[variable.name()] = variable.value();
  }
  EXPECT_EQ(variables["LWS_LEADER_ADDRESS"], "llm-1.llm.default");
  EXPECT_EQ(variables["LWS_GROUP_SIZE"], "3");
  EXPECT_EQ(variables["LWS_WORKER_INDEX"], "2");
}

TEST_F(LeaderWorkerSetPlanTest, AGroupIsReadyWhenAllOfItIs) {
  have_groups(2);
  EXPECT_EQ(plan().status.ready_replicas(), 2);
  change("llm-1-2", [](k8s::Pod& pod) {
    set_condition(*pod.mutable_status()->mutable_conditions(), {"Ready", "False"}, at(0s));
  });
  EXPECT_EQ(plan().status.ready_replicas(), 1);
  EXPECT_EQ(plan().status.replicas(), 2);
  EXPECT_THAT(plan().create, IsEmpty());
  EXPECT_THAT(plan().remove, IsEmpty());
}

TEST_F(LeaderWorkerSetPlanTest, ScalesDownFromTheHighestGroup) {
  have_groups(2);
  set_.mutable_spec()->set_replicas(0);
  const LwsPlan made = plan();
  EXPECT_THAT(removed(made), ElementsAre(1, 0));
  EXPECT_TRUE(made.remove[0].for_good);
}

TEST_F(LeaderWorkerSetPlanTest, ARestartedPodTakesItsWholeGroupAlong) {
  have_groups(2);
  change("llm-1-1", [](k8s::Pod& pod) {
    pod.mutable_status()->add_container_statuses()->set_restart_count(1);
  });
  const LwsPlan made = plan();
  ASSERT_THAT(removed(made), ElementsAre(1));
  EXPECT_EQ(made.remove[0].because, "llm-1-1");
  EXPECT_FALSE(made.remove[0].for_good);
}

TEST_F(LeaderWorkerSetPlanTest, ADeletedWorkerTakesItsWholeGroupAlong) {
  have_groups(2);
  change("llm-0-2", [](k8s::Pod& pod) { pod.mutable_metadata()->set_deletion_timestamp(1); });
  EXPECT_THAT(removed(plan()), ElementsAre(0));
}

TEST_F(LeaderWorkerSetPlanTest, AGroupThatIsGoingIsNotTakenTwice) {
  have_groups(2);
  change("llm-0", [](k8s::Pod& pod) { pod.mutable_metadata()->set_deletion_timestamp(1); });
  change("llm-0-2", [](k8s::Pod& pod) { pod.mutable_metadata()->set_deletion_timestamp(1); });
  EXPECT_THAT(plan().remove, IsEmpty());
  EXPECT_THAT(plan().create, IsEmpty());
}

TEST_F(LeaderWorkerSetPlanTest, WithoutThatPolicyARestartStaysThePods) {
  set_.mutable_spec()->mutable_leader_worker_template()->set_restart_policy("None");
  have_groups(2);
  change("llm-1-1", [](k8s::Pod& pod) {
    pod.mutable_status()->add_container_statuses()->set_restart_count(1);
  });
  EXPECT_THAT(plan().remove, IsEmpty());
}

TEST_F(LeaderWorkerSetPlanTest, AGroupThatHasNotStartedMayBeSparedUntilItHas) {
  set_.mutable_spec()->mutable_leader_worker_template()->set_restart_policy(
      "RecreateGroupAfterStart");
  have_groups(2);
  change("llm-1-1", [](k8s::Pod& pod) {
    pod.mutable_status()->add_container_statuses()->set_restart_count(1);
  });
  change("llm-1-2", [](k8s::Pod& pod) { pod.mutable_status()->set_phase("Pending"); });
  EXPECT_THAT(plan().remove, IsEmpty());
  change("llm-1-2", [](k8s::Pod& pod) { pod.mutable_status()->set_phase("Running"); });
  EXPECT_THAT(removed(plan()), ElementsAre(1));
}

TEST_F(LeaderWorkerSetPlanTest, APodThatHasEndedComesAnewUnderItsName) {
  have_groups(2);
  change("llm-1-1", [](k8s::Pod& pod) { pod.mutable_status()->set_phase("Failed"); });
  const LwsPlan made = plan();
  ASSERT_THAT(made.replace, SizeIs(1));
  EXPECT_EQ(made.replace[0]->metadata().name(), "llm-1-1");
}

TEST_F(LeaderWorkerSetPlanTest, AnUpdateReplacesOneReadyGroupAtATimeFromTheTop) {
  have_groups(2);
  update_template();
  EXPECT_THAT(removed(plan()), ElementsAre(1));
  EXPECT_EQ(plan().status.updated_replicas(), 0);
  have_group(1, false);  // the new one is not ready yet
  EXPECT_THAT(plan().remove, IsEmpty());
  have_group(1, true);
  EXPECT_THAT(removed(plan()), ElementsAre(0));
  EXPECT_EQ(plan().status.updated_replicas(), 1);
  EXPECT_TRUE(is_true(plan().status.conditions(), "UpdateInProgress"));
}

TEST_F(LeaderWorkerSetPlanTest, AnUpdateThatMaySurgeMakesAGroupMoreFirst) {
  auto& update =
      *set_.mutable_spec()->mutable_rollout_strategy()->mutable_rolling_update_configuration();
  update.set_max_surge("1");
  update.set_max_unavailable("0");
  have_groups(2);
  update_template();
  const LwsPlan first = plan();
  EXPECT_THAT(created(first), ElementsAre("llm-2"));
  EXPECT_THAT(first.remove, IsEmpty());
  have_group(2);
  EXPECT_THAT(removed(plan()), ElementsAre(1));
}

TEST_F(LeaderWorkerSetPlanTest, GroupsBelowThePartitionKeepTheirRevision) {
  set_.mutable_spec()
      ->mutable_rollout_strategy()
      ->mutable_rolling_update_configuration()
      ->set_partition(2);
  have_groups(2);
  update_template();
  EXPECT_THAT(plan().remove, IsEmpty());
}

TEST_F(LeaderWorkerSetPlanTest, IsAvailableWhenAllGroupsAreReady) {
  have_groups(1);
  EXPECT_TRUE(is_true(plan().status.conditions(), "Progressing"));
  have_groups(2);
  EXPECT_TRUE(is_true(plan().status.conditions(), "Available"));
}

}  // namespace
}  // namespace troupe::workloads
