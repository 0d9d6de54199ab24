#include "actors/karpenter/scheduling/value_set.h"

#include <gtest/gtest.h>

#include "actors/karpenter/scheduling/requirements.h"

namespace troupe::karpenter {
namespace {

ValueSet in(std::vector<std::string> values) {
  return {"key", Operator::In, std::move(values)};
}
ValueSet not_in(std::vector<std::string> values) {
  return {"key", Operator::NotIn, std::move(values)};
}

TEST(ValueSet, IntersectsMembersWithMembers) {
  EXPECT_EQ(in({"a", "b"}).intersection(in({"b", "c"})), in({"b"}));
  EXPECT_TRUE(in({"a"}).intersection(in({"b"})).is_empty());
  EXPECT_FALSE(in({"a"}).intersects(in({"b"})));
}

TEST(ValueSet, TakesWhatIsLeftOutAway) {
  EXPECT_EQ(in({"a", "b"}).intersection(not_in({"a"})), in({"b"}));
  EXPECT_EQ(not_in({"a"}).intersection(not_in({"b"})), not_in({"a", "b"}));
  EXPECT_TRUE(not_in({"a"}).intersects(not_in({"b"})));
}

TEST(ValueSet, GtAndLtBoundIntegers) {
  const ValueSet more_than_2("key", Operator::Gt, {"2"});
  const ValueSet less_than_9("key", Operator::Lt, {"9"});
  EXPECT_TRUE(more_than_2.has("3"));
  EXPECT_FALSE(more_than_2.has("2"));
  EXPECT_FALSE(more_than_2.has("many"));
  EXPECT_EQ(more_than_2.intersection(less_than_9).intersection(in({"1", "4", "8", "16"})),
            in({"4", "8"}));
  EXPECT_FALSE(more_than_2.intersects(ValueSet("key", Operator::Lt, {"3"})));
}

TEST(ValueSet, WritesBoundsAsTwoEntriesOfASpec) {
  const ValueSet both =
      ValueSet("key", Operator::Gt, {"2"}).intersection({"key", Operator::Lt, {"9"}});
  const std::vector<Requirement> spec = both.to_spec();
  ASSERT_EQ(spec.size(), 2U);
  EXPECT_EQ(spec[0].operator_(), "Gte");
  EXPECT_EQ(spec[0].values(0), "3");
  EXPECT_EQ(spec[1].operator_(), "Lte");
  EXPECT_EQ(spec[1].values(0), "8");
}

TEST(ValueSet, ReadsOldNamesOfWellKnownLabels) {
  EXPECT_EQ(ValueSet("failure-domain.beta.kubernetes.io/zone", Operator::Exists).key(),
            "topology.kubernetes.io/zone");
}

TEST(ValueSet, PrintsAtMostFiveValues) {
  EXPECT_EQ(in({"a", "b"}).to_string(), "key In [a b]");
  EXPECT_EQ(in({"1", "2", "3", "4", "5", "6", "7"}).to_string(), "key In [1 2 3 4 5 and 2 others]");
  EXPECT_EQ(ValueSet("key", Operator::Gt, {"2"}).to_string(), "key Exists >=3");
}

TEST(Requirements, ANewNodeMayTakeAnyWellKnownLabelAnExistingOneNot) {
  Requirements pool;
  Requirements pod;
  pod.add(ValueSet("topology.kubernetes.io/zone", Operator::In, {"zone-a"}));
  EXPECT_TRUE(pool.is_compatible(pod, Undefined::WellKnownAllowed));
  EXPECT_FALSE(pool.is_compatible(pod, Undefined::Refused));
}

TEST(Requirements, AnUnknownLabelIsRefusedUnlessItIsToBeAbsent) {
  Requirements pool;
  Requirements wants;
  wants.add(ValueSet("team", Operator::In, {"red"}));
  EXPECT_FALSE(pool.is_compatible(wants, Undefined::WellKnownAllowed));
  EXPECT_EQ(pool.compatible(wants, Undefined::WellKnownAllowed).error().message,
            "label \"team\" does not have known values");
  Requirements avoids;
  avoids.add(ValueSet("team", Operator::NotIn, {"red"}));
  avoids.add(ValueSet("old", Operator::DoesNotExist));
  EXPECT_TRUE(pool.is_compatible(avoids, Undefined::WellKnownAllowed));
}

TEST(Requirements, SaysWhichKeyClashes) {
  Requirements pool;
  pool.add(ValueSet("topology.kubernetes.io/zone", Operator::In, {"zone-a"}));
  Requirements pod;
  pod.add(ValueSet("topology.kubernetes.io/zone", Operator::In, {"zone-b"}));
  EXPECT_EQ(pool.compatible(pod, Undefined::WellKnownAllowed).error().message,
            "key topology.kubernetes.io/zone, topology.kubernetes.io/zone In [zone-b] not in "
            "topology.kubernetes.io/zone In [zone-a]");
}

}  // namespace
}  // namespace troupe::karpenter
