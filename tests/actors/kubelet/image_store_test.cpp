#include "actors/kubelet/image_store.h"

#include <gmock/gmock.h>

namespace troupe::kubelet {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

/// "big" is 1000 bytes, "small" 500, at 100 bytes a second; "there" is prepulled; others are 200
/// bytes.
hosts::NodeConfig config(bool parallel) {
  hosts::NodeConfig node;
  node.set_image_bandwidth_bytes_per_s(100);
  node.set_default_image_bytes(200);
  node.set_parallel_image_pulls(parallel);
  for (const auto& [name, bytes, prepulled] :
       {std::tuple{"big", 1000, false}, {"small", 500, false}, {"there", 700, true}}) {
    auto* image = node.add_images();
    image->set_name(name);
    image->set_bytes(bytes);
    image->set_prepulled(prepulled);
  }
  return node;
}

SimTime at(int s) {
  return kTimeZero + seconds(s);
}

TEST(ImageStore, HasPrepulledImagesOnly) {
  const ImageStore images(config(false));
  EXPECT_TRUE(images.present("there"));
  EXPECT_FALSE(images.present("big"));
}

TEST(ImageStore, PullsInBytesOverBandwidth) {
  ImageStore images(config(false));
  images.pull("big", at(5));
  EXPECT_EQ(images.next_end(), at(15));
  EXPECT_TRUE(images.take_pulled(at(14)).empty());
  EXPECT_THAT(images.take_pulled(at(15)), ElementsAre("big"));
  EXPECT_TRUE(images.present("big"));
  EXPECT_FALSE(images.next_end());
}

TEST(ImageStore, PullsOneImageAfterTheOther) {
  ImageStore images(config(false));
  images.pull("big", at(0));
  images.pull("small", at(1));
  EXPECT_EQ(images.next_end(), at(10));
  EXPECT_THAT(images.take_pulled(at(10)), ElementsAre("big"));
  EXPECT_EQ(images.next_end(), at(15));
}

TEST(ImageStore, SharesTheBandwidthAmongParallelPulls) {
  ImageStore images(config(true));
  images.pull("big", at(0));
  images.pull("small", at(2));  // big has 800 left; both get 50 a second
  EXPECT_EQ(images.next_end(), at(12));
  EXPECT_THAT(images.take_pulled(at(12)), ElementsAre("small"));
  EXPECT_EQ(images.next_end(), at(15));  // 300 left at 100 a second
}

TEST(ImageStore, PullsAnImageOnceForAllWhoWant) {
  ImageStore images(config(false));
  images.pull("big", at(0));
  images.pull("big", at(4));
  EXPECT_THAT(images.take_pulled(at(10)), ElementsAre("big"));
  EXPECT_FALSE(images.next_end());
}

TEST(ImageStore, TakesUnlistedImagesForTheDefaultSize) {
  ImageStore images(config(false));
  images.pull("other", at(0));
  EXPECT_EQ(images.next_end(), at(2));
}

TEST(ImageStore, TakesNoTimeWithoutABandwidth) {
  ImageStore images(hosts::NodeConfig{});
  images.pull("any", at(3));
  EXPECT_TRUE(images.present("any"));
  EXPECT_FALSE(images.next_end());
}

}  // namespace
}  // namespace troupe::kubelet
