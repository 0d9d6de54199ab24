#include "emulator/manifests/spelling.h"

#include <gtest/gtest.h>

namespace troupe::manifests {
namespace {

TEST(Spelling, CountsEditsWithoutCaseAndSeparators) {
  EXPECT_EQ(edit_distance("replicas", "replicas"), 0);
  EXPECT_EQ(edit_distance("replcas", "replicas"), 1);
  EXPECT_EQ(edit_distance("conatiners", "containers"), 1) << "neighbours swapped";
  EXPECT_EQ(edit_distance("node_selector", "nodeSelector"), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
}

TEST(Spelling, TellsSlipsFromOtherNames) {
  EXPECT_TRUE(is_near_miss("replcas", "replicas"));
  EXPECT_TRUE(is_near_miss("Replicas", "replicas"));
  EXPECT_TRUE(is_near_miss("imge", "image"));
  EXPECT_FALSE(is_near_miss("nfs", "csi"));
  EXPECT_FALSE(is_near_miss("fc", "csi"));
  EXPECT_FALSE(is_near_miss("hostnameOverride", "hostname"));
  EXPECT_FALSE(is_near_miss(std::string(1'000'000, 'x'), "replicas"));
}

TEST(Spelling, FindsTheClosestName) {
  const std::vector<std::string> names = {"duration", "topology", "traffic"};
  EXPECT_EQ(near_miss("durtion", names), "duration");
  EXPECT_EQ(near_miss("manifests", names), "");
  EXPECT_EQ(nearest("topo", names), "topology");
  EXPECT_EQ(nearest("zzzz", names), "");
}

}  // namespace
}  // namespace troupe::manifests
