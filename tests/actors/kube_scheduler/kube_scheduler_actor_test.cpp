// kube-scheduler against the real API server, over wires that the test holds.
#include "actors/kube_scheduler/kube_scheduler_actor.h"

#include <gtest/gtest.h>

#include "messages/conditions.h"
#include "messages/k8s/scheduling.pb.h"
#include "tests/support/api_cluster.h"
#include "tests/support/cluster_objects.h"

namespace troupe::kube_scheduler {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::NodeBuilder;
using testing::PodBuilder;

constexpr const char* kScheduler = "controller/kube-scheduler/0";

hosts::KubeSchedulerConfig config_of() {
  hosts::KubeSchedulerConfig config;
  config.mutable_client()->set_qps(0);
  config.mutable_client()->set_api_servers(1);
  config.set_cost_per_node_ns(1000);
  config.set_cost_per_pod_ns(1'000'000);
  config.set_pop_from_backoff(true);
  config.set_write_events(true);
  return config;
}

class KubeSchedulerTest : public ::testing::Test {
 protected:
  void begin(const hosts::KubeSchedulerConfig& config = config_of()) {
    cluster.network.add(kScheduler,
                        [config] { return std::make_unique<KubeSchedulerActor>(config); });
  }
  void add(const NodeBuilder& node) {
    NodeBuilder copy = node;
    ASSERT_TRUE(cluster.create_ready(copy.raw()).ok());
  }
  void add(const PodBuilder& pod) {
    PodBuilder copy = pod;
    copy.raw().mutable_metadata()->clear_uid();
    copy.raw().clear_status();
    const ApiResult made = cluster.create(copy.raw());
    ASSERT_TRUE(made.ok()) << made.message;
  }
  void add_class(const std::string& name, int value) {
    k8s::PriorityClass made;
    made.mutable_metadata()->set_name(name);
    made.set_value(value);
    ASSERT_TRUE(cluster.create(made).ok());
  }
  static PodBuilder of_class(std::string_view name, int gpus, std::string_view class_name) {
    PodBuilder pod(name);
    pod.gpus(gpus).raw().mutable_spec()->set_priority_class_name(std::string(class_name));
    return pod;
  }
  std::string node_of(const std::string& name) {
    const auto pod = cluster.stored<k8s::Pod>("default/" + name);
    return pod ? pod->spec().node_name() : "(gone)";
  }
  const k8s::Condition* scheduled(const std::string& name) {
    kept_ = cluster.stored<k8s::Pod>("default/" + name);
    return find_condition(kept_->status().conditions(), "PodScheduled");
  }
  void run(Duration span) { cluster.network.run_for(span); }

  ApiCluster cluster;

 private:
  std::shared_ptr<const k8s::Pod> kept_;
};

TEST_F(KubeSchedulerTest, GivesAPendingPodANodeThatTakesIt) {
  add(NodeBuilder("small").gpus(1));
  add(NodeBuilder("large").gpus(8));
  add(PodBuilder("p").gpus(4));
  begin();
  run(1s);
  EXPECT_EQ(node_of("p"), "large");
  ASSERT_EQ(cluster.network.facts_of<facts::PodBound>().size(), 1u);
}

TEST_F(KubeSchedulerTest, LeavesPodsOfOtherSchedulersAlone) {
  add(NodeBuilder("n").gpus(8));
  add(PodBuilder("p").scheduler("kai-scheduler"));
  begin();
  run(1s);
  EXPECT_EQ(node_of("p"), "");
}

TEST_F(KubeSchedulerTest, CountsAPodOnItsNodeBeforeTheBindingComesBack) {
  // Bindings take a second to be answered and watches two to tell: the second pod is decided on
  // long before.
  cluster.network.latency = [](const testing::Wire& wire) {
    const auto* request = wire.what.as<api::ApiRequest>();
    return request != nullptr && request->verb() == api::BIND ? 1s : Duration(1ms);
  };
  add(NodeBuilder("a").gpus(1));
  add(NodeBuilder("b").gpus(1));
  begin();
  add(PodBuilder("p").gpus(1));
  add(PodBuilder("q").gpus(1));
  run(5s);
  EXPECT_NE(node_of("p"), node_of("q"));
  EXPECT_NE(node_of("p"), "");
  EXPECT_NE(node_of("q"), "");
}

TEST_F(KubeSchedulerTest, SaysInConditionEventAndFactWhyAPodIsNotPlaced) {
  add(NodeBuilder("n").gpus(1));
  add(PodBuilder("p").gpus(2));
  begin();
  run(1s);
  const std::string text =
      "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: 0/1 nodes are "
      "available: "
      "1 Preemption is not helpful for scheduling.";
  const k8s::Condition* condition = scheduled("p");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->status(), "False");
  EXPECT_EQ(condition->reason(), "Unschedulable");
  EXPECT_EQ(condition->message(), text);
  ASSERT_EQ(cluster.network.facts_of<facts::PodUnschedulable>().size(), 1u);
  EXPECT_EQ(cluster.network.facts_of<facts::PodUnschedulable>()[0]->message(), text);
  const auto events = cluster.network.facts_of<facts::ObjectEventRecorded>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0]->reason(), "FailedScheduling");
}

TEST_F(KubeSchedulerTest, TellsOfAPodWhereThereAreNoNodesAtAll) {
  add(PodBuilder("p"));
  begin();
  run(1s);
  EXPECT_EQ(scheduled("p")->message(), "no nodes available to schedule pods");
  EXPECT_EQ(scheduled("p")->reason(), "Unschedulable");
}

TEST_F(KubeSchedulerTest, PlacesAWaitingPodOnANodeThatComes) {
  add(NodeBuilder("n"));
  add(PodBuilder("p").gpus(1));
  begin();
  run(5s);
  EXPECT_EQ(node_of("p"), "");
  add(NodeBuilder("gpu").gpus(1));
  run(1s);
  EXPECT_EQ(node_of("p"), "gpu");
}

TEST_F(KubeSchedulerTest, PlacesAWaitingPodWhenAnotherGoes) {
  add(NodeBuilder("n").gpus(1));
  add(PodBuilder("first").gpus(1));
  begin();
  run(1s);
  add(PodBuilder("second").gpus(1));
  run(5s);
  EXPECT_EQ(node_of("second"), "");
  cluster.remove(key_for<k8s::Pod>("default", "first"), {.grace_period_seconds = 0});
  run(2s);
  EXPECT_EQ(node_of("second"), "n");
}

TEST_F(KubeSchedulerTest, C47AFailedBindingFreesTheRoomForThoseWhoWait) {
  add(NodeBuilder("n").gpus(1));
  int refused = 0;
  // The first binding is lost on its way: the client gives up, and the room is free again.
  cluster.network.lose = [&refused](const testing::Wire& wire) {
    const auto* request = wire.what.as<api::ApiRequest>();
    return request != nullptr && request->verb() == api::BIND && refused++ == 0;
  };
  begin();
  add(PodBuilder("p").gpus(1));
  run(5s);
  EXPECT_EQ(node_of("p"), "");
  run(20s);
  EXPECT_EQ(node_of("p"), "n");
}

TEST_F(KubeSchedulerTest, ABindingThatWasAppliedThoughItsReplyWasLostIsNotDoneTwice) {
  add(NodeBuilder("a").gpus(1));
  add(NodeBuilder("b").gpus(1));
  begin();
  run(1s);
  cluster.network.lose = [](const testing::Wire& wire) {
    return wire.what.as<api::ApiReply>() != nullptr && wire.to == address_of(kScheduler);
  };
  add(PodBuilder("p").gpus(1));
  run(30s);
  cluster.network.lose = [](const testing::Wire&) { return false; };
  add(PodBuilder("q").gpus(1));
  run(30s);
  EXPECT_EQ(cluster.network.facts_of<facts::PodBound>().size(), 2u);
  EXPECT_NE(node_of("p"), node_of("q"));
}

TEST_F(KubeSchedulerTest, DoesNotBindAPodThatIsDeletedWhileItThinks) {
  hosts::KubeSchedulerConfig slow = config_of();
  slow.set_cost_per_pod_ns(Duration(1s).count());
  add(NodeBuilder("n").gpus(1));
  begin(slow);
  run(100ms);
  add(PodBuilder("p").gpus(1));
  cluster.remove(key_for<k8s::Pod>("default", "p"), {.grace_period_seconds = 0});
  run(5s);
  EXPECT_TRUE(cluster.network.facts_of<facts::PodBound>().empty());
  add(PodBuilder("q").gpus(1));
  run(5s);
  EXPECT_EQ(node_of("q"), "n");
}

TEST_F(KubeSchedulerTest, TakesItsTimeForEachPod) {
  hosts::KubeSchedulerConfig slow = config_of();
  slow.set_cost_per_pod_ns(Duration(1s).count());
  add(NodeBuilder("n").gpus(8));
  begin(slow);
  run(100ms);
  for (int i = 0; i < 4; ++i) add(PodBuilder("p" + std::to_string(i)));
  run(2500ms);
  EXPECT_EQ(cluster.network.facts_of<facts::PodBound>().size(), 2u);
}

TEST_F(KubeSchedulerTest, EvictsALessImportantPodAndTakesItsPlace) {
  add_class("high", 100);
  add(NodeBuilder("n").gpus(1));
  begin();
  add(PodBuilder("low").gpus(1));
  run(1s);
  add(of_class("high", 1, "high"));
  run(1s);
  const auto victim = cluster.stored<k8s::Pod>("default/low");
  ASSERT_NE(victim, nullptr);
  EXPECT_TRUE(victim->metadata().has_deletion_timestamp());
  EXPECT_EQ(find_condition(victim->status().conditions(), "DisruptionTarget")->reason(),
            "PreemptionByScheduler");
  EXPECT_EQ(cluster.stored<k8s::Pod>("default/high")->status().nominated_node_name(), "n");
  ASSERT_EQ(cluster.network.facts_of<facts::PodEvicted>().size(), 1u);
  EXPECT_EQ(node_of("high"), "");
  // The victim's containers stop.
  cluster.remove(key_for<k8s::Pod>("default", "low"), {.grace_period_seconds = 0});
  run(2s);
  EXPECT_EQ(node_of("high"), "n");
}

TEST_F(KubeSchedulerTest, KeepsTheRoomThatWasClearedForWhomItWasCleared) {
  add_class("high", 100);
  add(NodeBuilder("n").gpus(1));
  begin();
  add(PodBuilder("low").gpus(1));
  run(1s);
  add(of_class("high", 1, "high"));
  run(1s);
  add(PodBuilder("late").gpus(1));
  run(1s);
  cluster.remove(key_for<k8s::Pod>("default", "low"), {.grace_period_seconds = 0});
  run(10s);
  EXPECT_EQ(node_of("high"), "n");
  EXPECT_EQ(node_of("late"), "");
}

TEST_F(KubeSchedulerTest, ForgetsThePhantomOfAPreemptorThatIsDeleted) {
  add_class("high", 100);
  add(NodeBuilder("n").gpus(1));
  begin();
  add(PodBuilder("low").gpus(1));
  run(1s);
  add(of_class("high", 1, "high"));
  run(1s);
  add(PodBuilder("late").gpus(1));
  run(1s);
  cluster.remove(key_for<k8s::Pod>("default", "high"), {.grace_period_seconds = 0});
  cluster.remove(key_for<k8s::Pod>("default", "low"), {.grace_period_seconds = 0});
  run(10s);
  EXPECT_EQ(node_of("late"), "n");
}

hosts::LeaderElection election() {
  hosts::LeaderElection election;
  election.set_namespace_("kube-system");
  election.set_lease("kube-scheduler");
  election.set_lease_duration_ns(Duration(15s).count());
  election.set_renew_deadline_ns(Duration(10s).count());
  election.set_retry_period_ns(Duration(2s).count());
  election.set_api_servers(1);
  return election;
}

TEST_F(KubeSchedulerTest, OnlyTheLeaderSchedules) {
  hosts::KubeSchedulerConfig config = config_of();
  *config.mutable_election() = election();
  for (const char* path : {kScheduler, "controller/kube-scheduler/1"}) {
    cluster.network.add(path, [config] { return std::make_unique<KubeSchedulerActor>(config); });
  }
  add(NodeBuilder("n").gpus(8));
  run(5s);
  for (int i = 0; i < 5; ++i) add(PodBuilder("p" + std::to_string(i)).gpus(1));
  run(5s);
  EXPECT_EQ(cluster.network.facts_of<facts::PodBound>().size(), 5u);
}

TEST_F(KubeSchedulerTest, AnotherTakesOverFromALeaderThatDies) {
  hosts::KubeSchedulerConfig config = config_of();
  *config.mutable_election() = election();
  for (const char* path : {kScheduler, "controller/kube-scheduler/1"}) {
    cluster.network.add(path, [config] { return std::make_unique<KubeSchedulerActor>(config); });
  }
  add(NodeBuilder("n").gpus(8));
  run(5s);
  cluster.network.crash(kScheduler);
  add(PodBuilder("p").gpus(1));
  run(30s);
  EXPECT_EQ(node_of("p"), "n");
}

TEST_F(KubeSchedulerTest, ARestartedSchedulerCountsWhatIsThere) {
  add(NodeBuilder("n").gpus(1));
  begin();
  add(PodBuilder("p").gpus(1));
  run(2s);
  cluster.network.crash(kScheduler);
  cluster.network.restart(kScheduler);
  add(PodBuilder("q").gpus(1));
  run(5s);
  EXPECT_EQ(node_of("p"), "n");
  EXPECT_EQ(node_of("q"), "");
}

}  // namespace
}  // namespace troupe::kube_scheduler
