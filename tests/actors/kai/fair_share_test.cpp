#include "actors/kai/fair_share.h"

#include <gtest/gtest.h>

#include "actors/kai/queue_order.h"

namespace troupe::kai {
namespace {

using namespace std::chrono_literals;

struct Row {
  double quota = 0;
  double weight = 1;
  double request = 0;
  int priority = 100;
  double limit = -1;
};

/// The fair shares, in GPUs, of sibling queues; the first is the oldest.
std::vector<double> divide(double total, const std::vector<Row>& rows) {
  const auto milli = [](double gpus) {
    return gpus < 0 ? kUnlimited : static_cast<std::int64_t>(gpus * 1000);
  };
  std::vector<QueueInfo> queues(rows.size());
  std::vector<QueueInfo*> pointers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    QueueInfo& queue = queues[i];
    queue.settings.name = "q" + std::to_string(i);
    queue.settings.priority = rows[i].priority;
    queue.settings.created = kTimeZero + std::chrono::seconds(i);
    ResourceShare& share = queue.share(Resource::Gpu);
    share.deserved = milli(rows[i].quota);
    share.weight = milli(rows[i].weight);
    share.request = milli(rows[i].request);
    share.max_allowed = milli(rows[i].limit);
    pointers.push_back(&queue);
  }
  divide_resource(milli(total), Resource::Gpu, pointers);
  std::vector<double> shares;
  for (const QueueInfo& queue : queues) {
    shares.push_back(static_cast<double>(queue.share(Resource::Gpu).fair_share) / 1000);
  }
  return shares;
}

using Shares = std::vector<double>;

TEST(FairShare, DividesTheRestByWeight) {
  // 10 + 60 and 10 + 20.
  EXPECT_EQ(divide(100, {{10, 3, 100}, {10, 1, 100}}), (Shares{70, 30}));
}

TEST(FairShare, RoundsDownTheUnsatisfiedAndHandsOutWhatIsLeft) {
  EXPECT_EQ(divide(8, {{2, 1, 6}, {2, 3, 6}}), (Shares{3, 5}));
  EXPECT_EQ(divide(11, {{2, 1, 10}, {2, 4, 10}}), (Shares{3, 8}));
}

TEST(FairShare, GivesALeftoverUnitToTheOlderOfEquals) {
  EXPECT_EQ(divide(11, {{2, 1, 6}, {2, 1, 6}}), (Shares{6, 5}));
}

TEST(FairShare, NeverExceedsRequestOrLimitInQuotaAndRounds) {
  EXPECT_EQ(divide(10, {{4, 1, 2}, {0, 1, 100}}), (Shares{2, 8}));
  EXPECT_EQ(divide(10, {{4, 1, 100, 100, 3}, {0, 1, 100}}), (Shares{3, 7}));
}

TEST(FairShare, DividesAgainWhatAQueueRefuses) {
  EXPECT_EQ(divide(12, {{0, 1, 2}, {0, 1, 100}, {0, 1, 100}}), (Shares{2, 5, 5}));
}

TEST(FairShare, LeavesLeftoverUnitsUnchecked) {
  // 1 GPU for three that want half of one: each is offered a third, rounded to nothing; the oldest
  // gets the unit.
  EXPECT_EQ(divide(1, {{0, 1, 0.5}, {0, 1, 0.5}, {0, 1, 0.5}}), (Shares{1, 0, 0}));
}

TEST(FairShare, OffersALowerPriorityWhatRoundingLeftAbove) {
  EXPECT_EQ(divide(1, {{0, 1, 2, 200}, {0, 1, 2, 200}, {0, 1, 2, 100}}), (Shares{0, 0, 1}));
}

TEST(FairShare, ServesAHigherPriorityFirstBeyondTheQuotas) {
  EXPECT_EQ(divide(10, {{2, 1, 10, 100}, {2, 1, 10, 200}}), (Shares{2, 8}));
}

TEST(FairShare, KeepsTheQuotaOfAQueueWithoutWeight) {
  EXPECT_EQ(divide(10, {{3, 0, 10}, {0, 1, 10}}), (Shares{3, 7}));
}

TEST(FairShare, HandsOutQuotasEvenWhereTheyExceedTheTotal) {
  EXPECT_EQ(divide(2, {{2, 1, 2}, {2, 1, 2}}), (Shares{2, 2}));
}

TEST(FairShare, TakesAnUnlimitedQuotaForTheTotal) {
  EXPECT_EQ(divide(10, {{-1, 1, 6}}), (Shares{6}));
  EXPECT_EQ(divide(10, {{-1, 1, 60}}), (Shares{10}));
}

TEST(FairShare, GoesDownTheForest) {
  std::vector<QueueSettings> settings(3);
  settings[0].name = "parent";
  settings[1].name = "a";
  settings[2].name = "b";
  for (QueueSettings& queue : settings) queue.bounds[2] = {0, kUnlimited, 1000};
  settings[1].parent = settings[2].parent = "parent";
  settings[0].bounds[2].quota = 4000;
  QueueForest forest(settings);
  Quantities all;
  all[Resource::Gpu] = 10'000;
  forest.add_request(*forest.find("a"), all);
  forest.add_request(*forest.find("b"), all);
  forest.divide(all);
  EXPECT_EQ(forest.find("parent")->share(Resource::Gpu).fair_share, 10'000);
  EXPECT_EQ(forest.find("a")->share(Resource::Gpu).fair_share, 5000);
  EXPECT_EQ(forest.find("b")->share(Resource::Gpu).fair_share, 5000);
}

TEST(QueueForest, LeavesOutAQueueWithoutItsParentAndAllBeneathIt) {
  std::vector<QueueSettings> settings(3);
  settings[0].name = "root";
  settings[1].name = "orphan";
  settings[1].parent = "gone";
  settings[2].name = "child";
  settings[2].parent = "orphan";
  QueueForest forest(settings);
  EXPECT_NE(forest.find("root"), nullptr);
  EXPECT_EQ(forest.find("orphan"), nullptr);
  EXPECT_EQ(forest.find("child"), nullptr);
}

TEST(QueueForest, SurvivesACycleOfParents) {
  std::vector<QueueSettings> settings(2);
  settings[0].name = "a";
  settings[0].parent = "b";
  settings[1].name = "b";
  settings[1].parent = "a";
  QueueForest forest(settings);
  EXPECT_TRUE(forest.all().empty());
}

class QueueOrderTest : public ::testing::Test {
 protected:
  QueueOrderTest() {
    for (QueueInfo* queue : {&a, &b}) {
      for (const Resource resource : kResources) {
        queue->share(resource) = {kUnlimited, kUnlimited, 1000, 0, 0, 0, 0};
      }
      queue->share(Resource::Gpu) = {2000, kUnlimited, 1000, 2000, 0, 0, 0};
    }
    total[Resource::Gpu] = 8000;
    total[Resource::Cpu] = 80'000;
    total[Resource::Memory] = 80;
    one[Resource::Gpu] = 1000;
  }
  int compare() { return compare_queues({a, one}, {b, one}, total); }

  QueueInfo a;
  QueueInfo b;
  Quantities total;
  Quantities one;
};

TEST_F(QueueOrderTest, ServesTheQueueThatStaysWithinItsQuota) {
  a.share(Resource::Gpu).allocated = 2000;
  EXPECT_GT(compare(), 0);
}

TEST_F(QueueOrderTest, PrefersAHigherPriorityAmongThoseWithinTheirQuota) {
  a.share(Resource::Gpu).allocated = 1000;
  a.settings.priority = 200;
  EXPECT_LT(compare(), 0);
}

TEST_F(QueueOrderTest, PrefersTheSmallerDominantShare) {
  b.share(Resource::Gpu).allocated = 1000;
  EXPECT_LT(compare(), 0);
}

TEST_F(QueueOrderTest, PutsAQueueThatMayHaveNothingLast) {
  b.share(Resource::Gpu) = {0, kUnlimited, 0, 0, 0, 0, 0};
  a.share(Resource::Gpu).allocated = 2000;
  EXPECT_LT(compare(), 0);
}

TEST_F(QueueOrderTest, KnowsNoDifferenceBetweenEquals) {
  EXPECT_EQ(compare(), 0);
}

TEST_F(QueueOrderTest, MeasuresAnUnlimitedShareAgainstTheCluster) {
  a.share(Resource::Gpu) = {kUnlimited, kUnlimited, 1000, 0, 4000, 0, 0};
  const Fraction half = dominant_share(a, {}, total);
  EXPECT_EQ(static_cast<std::int64_t>(half.numerator * 2),
            static_cast<std::int64_t>(half.denominator));
}

}  // namespace
}  // namespace troupe::kai
