// The Job controller against a real API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/job/indexes.h"
#include "actors/workloads/objects/owners.h"
#include "tests/actors/workloads/cluster.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using troupe::testing::Wire;

class JobTest : public ::testing::Test {
 protected:
  void create(const std::function<void(k8s::JobSpec&)>& edit) {
    k8s::Job job;
    job.mutable_metadata()->set_namespace_("default");
    job.mutable_metadata()->set_name("train");
    *job.mutable_spec()->mutable_template_() = pod_template("train:1");
    job.mutable_spec()->mutable_template_()->mutable_spec()->set_restart_policy("Never");
    edit(*job.mutable_spec());
    ASSERT_TRUE(cluster_.create(std::move(job)).ok());
    cluster_.network.run_for(2s);
  }
  std::shared_ptr<const k8s::Job> job() { return cluster_.stored<k8s::Job>("default/train"); }
  bool has(std::string_view condition) { return is_true(job()->status().conditions(), condition); }
  /// All running pods end that way.
  void end_pods(const std::string& phase) {
    for (const auto& pod : cluster_.active_pods()) cluster_.set_pod(*pod, phase, false);
    cluster_.network.run_for(2s);
  }
  std::size_t created() { return cluster_.network.facts_of<facts::PodCreated>().size(); }
  std::vector<int> indexes() {
    std::vector<int> found;
    for (const auto& pod : cluster_.active_pods()) found.push_back(index_of(*pod));
    return found;
  }
  Cluster cluster_;
};

TEST_F(JobTest, RunsItsPodsToTheEndInWaves) {
  create([](k8s::JobSpec& spec) {
    spec.set_parallelism(2);
    spec.set_completions(5);
  });
  EXPECT_THAT(cluster_.active_pods(), SizeIs(2));
  EXPECT_EQ(job()->status().active(), 2);
  EXPECT_EQ(controller_uid(cluster_.pods()[0]->metadata()), job()->metadata().uid());
  end_pods("Succeeded");
  end_pods("Succeeded");
  EXPECT_THAT(cluster_.active_pods(), SizeIs(1));
  EXPECT_EQ(job()->status().succeeded(), 4);
  EXPECT_FALSE(has("Complete"));
  end_pods("Succeeded");
  EXPECT_TRUE(has("Complete"));
  EXPECT_EQ(job()->status().succeeded(), 5);
  EXPECT_EQ(job()->status().active(), 0);
  EXPECT_THAT(cluster_.pods(), SizeIs(5));
  EXPECT_THAT(cluster_.event_reasons("Job/default/train"), Contains("Completed"));
}

TEST_F(JobTest, AnIndexedJobRepeatsTheIndexThatFailed) {
  create([](k8s::JobSpec& spec) {
    spec.set_completion_mode("Indexed");
    spec.set_parallelism(3);
    spec.set_completions(3);
  });
  EXPECT_THAT(indexes(), UnorderedElementsAre(0, 1, 2));
  const auto pods = cluster_.active_pods();
  for (const auto& pod : pods) {
    if (index_of(*pod) != 1) cluster_.set_pod(*pod, "Succeeded", false);
  }
  for (const auto& pod : pods) {
    if (index_of(*pod) == 1) cluster_.set_pod(*pod, "Failed", false);
  }
  cluster_.network.run_for(3s);
  EXPECT_THAT(indexes(), IsEmpty());  // it waits 10 s
  EXPECT_EQ(job()->status().completed_indexes(), "0,2");
  cluster_.network.run_for(10s);
  EXPECT_THAT(indexes(), UnorderedElementsAre(1));
  end_pods("Succeeded");
  EXPECT_TRUE(has("Complete"));
  EXPECT_EQ(job()->status().completed_indexes(), "0-2");
  EXPECT_EQ(job()->status().failed(), 1);
}

TEST_F(JobTest, WaitsLongerAfterEachFailureUntilItGivesUp) {
  create([](k8s::JobSpec& spec) { spec.set_backoff_limit(2); });
  std::vector<SimTime> starts;
  for (int i = 0; i < 2; ++i) {
    end_pods("Failed");
    const SimTime failed = cluster_.network.now() - 2s;
    while (cluster_.active_pods().empty()) cluster_.network.run_for(100ms);
    const Duration waited = cluster_.network.now() - failed;
    const Duration expected = i == 0 ? Duration(10s) : Duration(20s);
    EXPECT_GE(waited, expected);
    EXPECT_LE(waited, expected + 2s);
  }
  end_pods("Failed");
  cluster_.network.run_for(2s);
  EXPECT_TRUE(has("Failed"));
  EXPECT_EQ(job()->status().failed(), 3);
  cluster_.network.run_for(10min);
  EXPECT_EQ(created(), 3U);
  EXPECT_THAT(cluster_.event_reasons("Job/default/train"), Contains("BackoffLimitExceeded"));
}

TEST_F(JobTest, StopsWhatStillRunsAtItsDeadline) {
  create([](k8s::JobSpec& spec) {
    spec.set_parallelism(2);
    spec.set_completions(2);
    spec.set_active_deadline_seconds(30);
  });
  for (const auto& pod : cluster_.active_pods()) cluster_.run_pod(*pod);
  cluster_.network.run_for(25s);
  EXPECT_THAT(cluster_.active_pods(), SizeIs(2));
  cluster_.network.run_for(5s);
  EXPECT_THAT(cluster_.active_pods(), IsEmpty());
  EXPECT_TRUE(has("FailureTarget"));
  EXPECT_FALSE(has("Failed"));  // its pods are still ending
  cluster_.end_deleted_pods();
  cluster_.network.run_for(2s);
  EXPECT_TRUE(has("Failed"));
  EXPECT_EQ(job()->status().failed(), 2);
}

TEST_F(JobTest, LessParallelismAndSuspensionAreNoFailures) {
  create([](k8s::JobSpec& spec) {
    spec.set_parallelism(4);
    spec.set_completions(4);
    spec.set_backoff_limit(0);
  });
  for (const auto& pod : cluster_.active_pods()) cluster_.run_pod(*pod);
  k8s::Job changed = *job();
  changed.mutable_spec()->set_parallelism(1);
  ASSERT_TRUE(cluster_.update(std::move(changed)).ok());
  cluster_.network.run_for(3s);
  EXPECT_THAT(cluster_.active_pods(), SizeIs(1));
  changed = *job();
  changed.mutable_spec()->set_suspend(true);
  ASSERT_TRUE(cluster_.update(std::move(changed)).ok());
  cluster_.network.run_for(3s);
  EXPECT_THAT(cluster_.active_pods(), IsEmpty());
  cluster_.end_deleted_pods();
  EXPECT_TRUE(has("Suspended"));
  EXPECT_EQ(job()->status().failed(), 0);
  EXPECT_FALSE(has("Failed"));
}

TEST_F(JobTest, IsDeletedSomeTimeAfterItsEnd) {
  create([](k8s::JobSpec& spec) { spec.set_ttl_seconds_after_finished(30); });
  end_pods("Succeeded");
  ASSERT_TRUE(has("Complete"));
  cluster_.network.run_for(20s);
  ASSERT_NE(job(), nullptr);
  EXPECT_FALSE(job()->metadata().has_deletion_timestamp());
  cluster_.network.run_for(15s);
  EXPECT_TRUE(job() == nullptr || job()->metadata().has_deletion_timestamp());
}

TEST_F(JobTest, OfAnotherManagerIsLeftAlone) {
  create([](k8s::JobSpec& spec) { spec.set_managed_by("kueue.x-k8s.io/multikueue"); });
  cluster_.network.run_for(10s);
  EXPECT_THAT(cluster_.pods(), IsEmpty());
}

TEST_F(JobTest, ALateWatchMakesNoPodTwice) {
  cluster_.network.latency = [](const Wire& wire) {
    return wire.what.as<api::WatchEvent>() != nullptr ? Duration(3s) : Duration(1ms);
  };
  create([](k8s::JobSpec& spec) {
    spec.set_parallelism(20);
    spec.set_completions(20);
  });
  cluster_.network.run_for(30s);
  EXPECT_EQ(created(), 20U);
}

TEST_F(JobTest, ALostReplyOfACreationMakesNoIndexTwiceForLong) {
  int lost = 0;
  cluster_.network.lose = [&lost](const Wire& wire) {
    const auto* reply = wire.what.as<api::ApiReply>();
    return reply != nullptr && reply->code() == 201 &&
           wire.to.actor == address_of(kManager).actor && lost++ < 1;
  };
  create([](k8s::JobSpec& spec) {
    spec.set_completion_mode("Indexed");
    spec.set_parallelism(4);
    spec.set_completions(4);
  });
  cluster_.network.run_for(60s);
  EXPECT_GE(lost, 1);
  EXPECT_THAT(indexes(), UnorderedElementsAre(0, 1, 2, 3));
  EXPECT_EQ(job()->status().failed(), 0);
}

TEST_F(JobTest, ACrashedControllerLosesNoCount) {
  create([](k8s::JobSpec& spec) {
    spec.set_parallelism(3);
    spec.set_completions(6);
  });
  const auto pods = cluster_.active_pods();
  cluster_.set_pod(*pods[0], "Succeeded", false);
  cluster_.set_pod(*pods[1], "Failed", false);
  cluster_.network.run_for(3s);
  cluster_.network.crash(kManager);
  cluster_.set_pod(*pods[2], "Succeeded", false);
  cluster_.network.run_for(1s);
  cluster_.network.restart(kManager);
  cluster_.network.run_for(20s);
  EXPECT_EQ(job()->status().succeeded(), 2);
  EXPECT_EQ(job()->status().failed(), 1);
  EXPECT_EQ(job()->status().active(), 3);
}

}  // namespace
}  // namespace troupe::workloads
