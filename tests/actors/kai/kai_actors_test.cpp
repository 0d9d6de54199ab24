// KAI's scheduler, binder and pod-grouper against the real API server: they know each other only
// through objects.
#include <gtest/gtest.h>

#include "actors/kai/binder_actor.h"
#include "actors/kai/kai_scheduler_actor.h"
#include "actors/kai/names.h"
#include "actors/kai/pod_grouper_actor.h"
#include "messages/conditions.h"
#include "messages/k8s/apps.pb.h"
#include "messages/labels.h"
#include "messages/lws.pb.h"
#include "tests/support/api_cluster.h"
#include "tests/support/cluster_objects.h"

namespace troupe::kai {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::NodeBuilder;
using testing::PodBuilder;

constexpr const char* kScheduler = "controller/kai-scheduler/0";
constexpr const char* kBinder = "controller/kai-binder/0";
constexpr const char* kGrouper = "controller/kai-pod-grouper/0";

class KaiTest : public ::testing::Test {
 protected:
  void begin_scheduler(Duration grace = 60s) {
    hosts::KaiConfig config;
    set_client(*config.mutable_client());
    config.set_schedule_period_ns(Duration(1s).count());
    config.set_staleness_grace_ns(grace.count());
    config.set_base_cost_ns(Duration(5ms).count());
    config.set_cost_per_task_ns(Duration(200us).count());
    config.set_cost_per_node_ns(Duration(20us).count());
    cluster.network.add(kScheduler,
                        [config] { return std::make_unique<KaiSchedulerActor>(config); });
  }
  void begin_binder() {
    hosts::KaiBinderConfig config;
    set_client(*config.mutable_client());
    cluster.network.add(kBinder, [config] { return std::make_unique<BinderActor>(config); });
  }
  void begin_grouper() {
    hosts::KaiPodGrouperConfig config;
    set_client(*config.mutable_client());
    cluster.network.add(kGrouper, [config] { return std::make_unique<PodGrouperActor>(config); });
  }
  void begin_all() {
    begin_scheduler();
    begin_binder();
    begin_grouper();
  }
  static void set_client(hosts::ControllerClient& client) {
    client.set_qps(0);
    client.set_api_servers(1);
  }

  template <class T>
  void create(T object) {
    const ApiResult made = cluster.create(std::move(object));
    ASSERT_TRUE(made.ok()) << made.message;
  }
  void add_node(const std::string& name, int gpus) {
    NodeBuilder node(name);
    ASSERT_TRUE(cluster.create_ready(node.gpus(gpus).raw()).ok());
  }
  void add_queue(const std::string& name, double quota, double limit,
                 const std::string& parent = {}) {
    Queue queue;
    queue.mutable_metadata()->set_name(name);
    if (!parent.empty()) queue.mutable_spec()->set_parent_queue(parent);
    QueueResources& resources = *queue.mutable_spec()->mutable_resources();
    for (QueueResource* one :
         {resources.mutable_cpu(), resources.mutable_memory(), resources.mutable_gpu()}) {
      one->set_quota(-1);
      one->set_limit(-1);
      one->set_over_quota_weight(1);
    }
    resources.mutable_gpu()->set_quota(quota);
    resources.mutable_gpu()->set_limit(limit);
    create(queue);
  }
  static PodBuilder pod(std::string_view name, int gpus = 1) {
    PodBuilder builder(name);
    builder.gpus(gpus).cpu("1").memory("1G").scheduler("kai-scheduler");
    return builder;
  }
  void add(PodBuilder builder) {
    builder.raw().mutable_metadata()->clear_uid();
    builder.raw().clear_status();
    create(builder.raw());
  }
  void add_group(const std::string& name, int min_member,
                 const std::string& queue = "default-queue") {
    PodGroup group;
    group.mutable_metadata()->set_name(name);
    group.mutable_metadata()->set_namespace_("default");
    group.mutable_spec()->set_min_member(min_member);
    group.mutable_spec()->set_queue(queue);
    create(group);
  }
  void add_gang(const std::string& name, int members, int gpus_each,
                const std::string& queue = "default-queue") {
    add_group(name, members, queue);
    for (int i = 0; i < members; ++i) {
      add(pod(name + "-" + std::to_string(i), gpus_each).annotation(kPodGroupAnnotation, name));
    }
  }

  std::shared_ptr<const k8s::Pod> stored_pod(const std::string& name) {
    return cluster.stored<k8s::Pod>("default/" + name);
  }
  std::string node_of(const std::string& name) { return stored_pod(name)->spec().node_name(); }
  std::string phase_of_request(const std::string& name) {
    const auto request = cluster.stored<BindRequest>("default/" + name);
    return request ? request->status().phase() : "(none)";
  }
  void run(Duration span) { cluster.network.run_for(span); }
  template <class Fact>
  std::size_t facts() {
    return cluster.network.facts_of<Fact>().size();
  }

  ApiCluster cluster;
};

TEST_F(KaiTest, PlacesABarePodThroughAllThreeComponents) {
  add_node("n", 8);
  begin_all();
  add(pod("p", 2));
  run(5s);
  EXPECT_EQ(node_of("p"), "n");
  EXPECT_EQ(phase_of_request("p"), "Succeeded");
  const auto bound = stored_pod("p");
  EXPECT_TRUE(is_true(bound->status().conditions(), "PodBound"));
  EXPECT_EQ(label_or(bound->metadata().annotations(), kReceivedTypeAnnotation), "Regular");
  EXPECT_FALSE(label_or(bound->metadata().annotations(), kPodGroupAnnotation).empty());
}

TEST_F(KaiTest, SaysScheduledBeforeItIsBound) {
  add_node("n", 8);
  begin_scheduler();
  begin_grouper();
  add(pod("p"));
  run(5s);
  EXPECT_EQ(node_of("p"), "");
  EXPECT_EQ(phase_of_request("p"), "");
  bool scheduled = false;
  for (const auto* event : cluster.network.facts_of<facts::ObjectEventRecorded>()) {
    scheduled = scheduled || event->reason() == "Scheduled";
  }
  EXPECT_TRUE(scheduled);
}

TEST_F(KaiTest, MakesABindRequestAsKaiDoes) {
  add_node("n", 8);
  begin_scheduler();
  add_gang("gang", 1, 2);
  run(3s);
  const auto request = cluster.stored<BindRequest>("default/gang-0");
  ASSERT_NE(request, nullptr);
  EXPECT_EQ(request->spec().pod_name(), "gang-0");
  EXPECT_EQ(request->spec().selected_node(), "n");
  EXPECT_EQ(request->spec().received_resource_type(), "Regular");
  EXPECT_EQ(request->spec().received_gpu().count(), 2);
  EXPECT_FALSE(request->spec().has_backoff_limit());
  EXPECT_EQ(label_or(request->metadata().labels(), "selected-node"), "n");
  EXPECT_EQ(request->metadata().owner_references(0).uid(), stored_pod("gang-0")->metadata().uid());
}

TEST_F(KaiTest, PlacesAGangAsAWholeOrNotAtAll) {
  add_node("n", 7);
  begin_scheduler();
  begin_binder();
  add_gang("gang", 8, 1);
  run(5s);
  EXPECT_EQ(facts<facts::PodBound>(), 0u);
  EXPECT_EQ(facts<facts::GangAdmitted>(), 0u);
  add_node("one-more", 1);
  run(5s);
  EXPECT_EQ(facts<facts::PodBound>(), 8u);
  ASSERT_EQ(facts<facts::GangAdmitted>(), 1u);
  EXPECT_EQ(cluster.network.facts_of<facts::GangAdmitted>()[0]->gang(), "default/gang");
}

TEST_F(KaiTest, SaysWhyAGangWaitsOnThePodsAndOnTheGroup) {
  add_node("n", 7);
  begin_scheduler();
  add_gang("gang", 8, 1);
  run(4s);
  const auto member = stored_pod("gang-7");
  const k8s::Condition* scheduled = find_condition(member->status().conditions(), "PodScheduled");
  ASSERT_NE(scheduled, nullptr);
  EXPECT_EQ(scheduled->status(), "False");
  EXPECT_EQ(scheduled->reason(), "Unschedulable");
  const auto group = cluster.stored<PodGroup>("default/gang");
  ASSERT_EQ(group->status().scheduling_conditions_size(), 1);
  const SchedulingCondition& condition = group->status().scheduling_conditions(0);
  EXPECT_EQ(condition.type(), "UnschedulableOnNodePool");
  EXPECT_EQ(condition.node_pool(), "default");
  EXPECT_EQ(condition.transition_id(), "1");
  ASSERT_EQ(condition.reasons_size(), 1);
  EXPECT_EQ(condition.reasons(0).reason(), "PodSchedulingErrors");
  EXPECT_NE(condition.message().find("Resources were found for 7 pods while 8 are required"),
            std::string::npos);
  EXPECT_EQ(facts<facts::PodUnschedulable>(), 8u);
}

TEST_F(KaiTest, MarksAllPodsOfAGangForTheAutoscalerThoughItStoppedAtTheFirst) {
  begin_scheduler();
  add_gang("gang", 3, 1);
  run(4s);
  for (const std::string name : {"gang-0", "gang-1", "gang-2"}) {
    const auto member = stored_pod(name);
    EXPECT_EQ(find_condition(member->status().conditions(), "PodScheduled")->reason(),
              "Unschedulable");
  }
}

TEST_F(KaiTest, DoesNotMarkPodsOfAGroupThatForbidsIt) {
  begin_scheduler();
  add_gang("gang", 1, 1);
  PodGroup partial;
  partial.mutable_metadata()->set_name("gang");
  partial.mutable_metadata()->set_namespace_("default");
  partial.mutable_spec()->set_mark_unschedulable(false);
  ASSERT_TRUE(cluster.patch(partial).ok());
  add(pod("late").annotation(kPodGroupAnnotation, "gang"));
  run(4s);
  EXPECT_EQ(find_condition(stored_pod("late")->status().conditions(), "PodScheduled"), nullptr);
}

TEST_F(KaiTest, SaysOverLimitAndQueueDoesNotExist) {
  add_node("n", 8);
  add_queue("small", 1, 1);
  begin_scheduler();
  add_gang("big", 2, 1, "small");
  add_gang("lost", 1, 1, "nowhere");
  run(4s);
  const auto reason = [&](const std::string& name) {
    return cluster.stored<PodGroup>("default/" + name)
        ->status()
        .scheduling_conditions(0)
        .reasons(0)
        .reason();
  };
  EXPECT_EQ(reason("big"), "OverLimit");
  EXPECT_EQ(reason("lost"), "QueueDoesNotExist");
}

TEST_F(KaiTest, DoesNotSayTheSameAgainEachSecond) {
  begin_scheduler();
  add_gang("gang", 2, 1);
  run(4s);
  const std::size_t said = facts<facts::ObjectEventRecorded>();
  run(30s);
  EXPECT_EQ(facts<facts::ObjectEventRecorded>(), said);
}

TEST_F(KaiTest, BeginsACycleASecondAfterTheLastEnded) {
  add_node("n", 1);
  begin_scheduler();
  run(10s);
  // Ten seconds of rest and cycles of 5 ms and a little, with one request in each that finds
  // something to do.
  const std::size_t timers = cluster.network.sent("BindRequest");
  EXPECT_EQ(timers, 0u);
  add_gang("gang", 1, 1);
  run(1100ms);
  EXPECT_NE(phase_of_request("gang-0"), "(none)");
}

TEST_F(KaiTest, DecidesAgainAfterABindThatFailed) {
  add_node("n", 8);
  begin_scheduler();
  begin_binder();
  int refused = 0;
  cluster.network.lose = [&refused](const testing::Wire& wire) {
    const auto* request = wire.what.as<api::ApiRequest>();
    return request != nullptr && request->verb() == api::BIND && refused++ == 0;
  };
  add_gang("gang", 1, 1);
  run(5s);
  EXPECT_EQ(node_of("gang-0"), "");
  run(20s);
  EXPECT_EQ(node_of("gang-0"), "n");
  EXPECT_EQ(phase_of_request("gang-0"), "Succeeded");
}

TEST_F(KaiTest, DropsARequestWhoseNodeIsGone) {
  add_node("n", 8);
  begin_scheduler();
  add_gang("gang", 1, 1);
  run(3s);
  EXPECT_NE(phase_of_request("gang-0"), "(none)");
  cluster.remove(key_for<k8s::Node>("", "n"));
  run(3s);
  EXPECT_EQ(phase_of_request("gang-0"), "(none)");
}

TEST_F(KaiTest, ALateWatchOfItsOwnRequestsMakesItDecideTwice) {
  add_node("n", 8);
  // Nobody hears of bind requests for five seconds: the pod looks pending in the meantime (KAI
  // issue 1233).
  cluster.network.latency = [](const testing::Wire& wire) {
    const bool late = wire.what.as<api::WatchEvent>() != nullptr &&
                      !wire.what.attachments().empty() &&
                      wire.what.attachments()[0].as<BindRequest>() != nullptr;
    return late ? 5s : Duration(1ms);
  };
  begin_scheduler();
  add_gang("gang", 1, 1);
  run(4s);
  bool refused = false;
  for (const auto* event : cluster.network.facts_of<facts::ObjectEventRecorded>()) {
    refused = refused || event->reason() == "FailedBinding";
  }
  EXPECT_TRUE(refused);
}

TEST_F(KaiTest, EvictsAGangThatLostAMemberAfterTheGrace) {
  add_node("n", 8);
  begin_scheduler(10s);
  begin_binder();
  add_gang("gang", 3, 1);
  run(4s);
  EXPECT_EQ(facts<facts::PodBound>(), 3u);
  cluster.remove(key_for<k8s::Pod>("default", "gang-1"), {.grace_period_seconds = 0});
  run(5s);
  EXPECT_FALSE(stored_pod("gang-0")->metadata().has_deletion_timestamp());
  const auto marked = cluster.stored<PodGroup>("default/gang");
  EXPECT_FALSE(label_or(marked->metadata().annotations(), kStaleAnnotation).empty());
  run(8s);
  EXPECT_TRUE(stored_pod("gang-0")->metadata().has_deletion_timestamp());
  EXPECT_TRUE(stored_pod("gang-2")->metadata().has_deletion_timestamp());
  EXPECT_EQ(facts<facts::PodEvicted>(), 2u);
}

TEST_F(KaiTest, LetsAGangGoOnThatGetsItsMemberBackInTime) {
  add_node("n", 8);
  begin_scheduler(10s);
  begin_binder();
  add_gang("gang", 2, 1);
  run(4s);
  cluster.remove(key_for<k8s::Pod>("default", "gang-1"), {.grace_period_seconds = 0});
  run(3s);
  add(pod("gang-new").annotation(kPodGroupAnnotation, "gang"));
  run(20s);
  EXPECT_EQ(facts<facts::PodEvicted>(), 0u);
  EXPECT_EQ(node_of("gang-new"), "n");
  const auto group = cluster.stored<PodGroup>("default/gang");
  EXPECT_TRUE(label_or(group->metadata().annotations(), kStaleAnnotation).empty());
}

TEST_F(KaiTest, RemembersSinceWhenAGangIsStaleAcrossItsOwnRestart) {
  add_node("n", 8);
  begin_scheduler(10s);
  begin_binder();
  add_gang("gang", 2, 1);
  run(4s);
  cluster.remove(key_for<k8s::Pod>("default", "gang-1"), {.grace_period_seconds = 0});
  run(7s);
  cluster.network.crash(kScheduler);
  cluster.network.restart(kScheduler);
  run(6s);
  EXPECT_EQ(facts<facts::PodEvicted>(), 1u);
}

TEST_F(KaiTest, CountsPodsOfOtherSchedulersOnTheirNodes) {
  add_node("n", 2);
  add(pod("foreign", 1).scheduler("default-scheduler"));
  cluster.bind(key_for<k8s::Pod>("default", "foreign"), "n");
  begin_scheduler();
  begin_binder();
  add_gang("gang", 2, 1);
  run(4s);
  EXPECT_EQ(node_of("gang-0"), "");
}

class LwsTest : public KaiTest {
 protected:
  void add_set(int size) {
    lws::LeaderWorkerSet set;
    set.mutable_metadata()->set_name("lws");
    set.mutable_metadata()->set_namespace_("default");
    set.mutable_spec()->set_replicas(1);
    auto& leader_worker = *set.mutable_spec()->mutable_leader_worker_template();
    leader_worker.set_size(size);
    auto& container = *leader_worker.mutable_worker_template()->mutable_spec()->add_containers();
    container.set_name("main");
    container.set_image("registry/image:1");
    create(set);
    set_uid_ = cluster.stored<lws::LeaderWorkerSet>("default/lws")->metadata().uid();
  }
  void add_member(int index) {
    PodBuilder builder = pod(index == 0 ? "lws-0" : "lws-0-" + std::to_string(index));
    builder.label("leaderworkerset.sigs.k8s.io/group-index", "0");
    builder.label("leaderworkerset.sigs.k8s.io/worker-index", std::to_string(index));
    // The set owns the leader, and the leader its workers.
    const bool leads = index == 0;
    builder.owner(leads ? "LeaderWorkerSet" : "Pod", leads ? "lws" : "lws-0",
                  leads ? "leaderworkerset.x-k8s.io/v1" : "v1");
    builder.raw().mutable_metadata()->mutable_owner_references(0)->set_uid(
        leads ? set_uid_ : stored_pod("lws-0")->metadata().uid());
    add(builder);
  }

 private:
  std::string set_uid_;
};

TEST_F(LwsTest, GroupsAdmitsAndDeclaresAGangOfALeaderAndItsWorkers) {
  add_node("n", 8);
  begin_all();
  add_set(4);
  for (int i = 0; i < 4; ++i) add_member(i);
  run(10s);
  EXPECT_EQ(facts<facts::PodBound>(), 4u);
  ASSERT_EQ(facts<facts::GangDeclared>(), 1u);
  const auto* declared = cluster.network.facts_of<facts::GangDeclared>()[0];
  EXPECT_EQ(declared->by(), "PodGroup");
  ASSERT_EQ(declared->sub_groups_size(), 2);
  EXPECT_EQ(declared->sub_groups(1).name(), "workers");
  EXPECT_EQ(declared->sub_groups(1).minimum(), 3u);
  EXPECT_EQ(facts<facts::GangMember>(), 4u);
  EXPECT_EQ(facts<facts::GangAdmitted>(), 1u);
  EXPECT_EQ(label_or(stored_pod("lws-0")->metadata().labels(), kSubGroupLabel), "leader");
}

TEST_F(LwsTest, WaitsForAllMembersOfTheGang) {
  add_node("n", 8);
  begin_all();
  add_set(4);
  for (int i = 0; i < 3; ++i) add_member(i);
  run(10s);
  EXPECT_EQ(facts<facts::PodBound>(), 0u);
  add_member(3);
  run(10s);
  EXPECT_EQ(facts<facts::PodBound>(), 4u);
}

TEST_F(KaiTest, TheGrouperTriesAgainWhereAnOwnerIsNotKnownYet) {
  begin_grouper();
  add(pod("p").owner("ReplicaSet", "late", "apps/v1"));
  run(3s);
  EXPECT_TRUE(label_or(stored_pod("p")->metadata().annotations(), kPodGroupAnnotation).empty());
  bool warned = false;
  for (const auto* event : cluster.network.facts_of<facts::ObjectEventRecorded>()) {
    warned = warned || event->reason() == "PodGrouperWarning";
  }
  EXPECT_TRUE(warned);
}

TEST_F(KaiTest, TheGrouperLeavesABarePodAloneThatNamesItsGroup) {
  begin_grouper();
  add(pod("p").annotation(kPodGroupAnnotation, "mine"));
  run(3s);
  EXPECT_EQ(cluster.list({.kind = "PodGroup"}).items.size(), 0u);
}

}  // namespace
}  // namespace troupe::kai
