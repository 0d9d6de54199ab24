#include "messages/labels.h"

#include <gtest/gtest.h>

namespace troupe {
namespace {

std::string keys(const LabelMap& labels) {
  std::string text;
  for (const auto& pair : labels) text += pair.key() + "=" + pair.value() + " ";
  return text;
}

TEST(Labels, StaySortedWhateverTheOrderOfWrites) {
  LabelMap labels;
  EXPECT_TRUE(set_label(labels, "tier", "gpu"));
  EXPECT_TRUE(set_label(labels, "app", "llama"));
  EXPECT_TRUE(set_label(labels, "model", "8b"));
  EXPECT_EQ(keys(labels), "app=llama model=8b tier=gpu ");
  EXPECT_TRUE(set_label(labels, "model", "70b"));
  EXPECT_FALSE(set_label(labels, "model", "70b")) << "no change";
  EXPECT_EQ(keys(labels), "app=llama model=70b tier=gpu ");
}

TEST(Labels, FindAndErase) {
  LabelMap labels;
  set_label(labels, "a", "1");
  set_label(labels, "b", "");
  EXPECT_EQ(*find_label(labels, "b"), "");
  EXPECT_EQ(find_label(labels, "c"), nullptr);
  EXPECT_EQ(label_or(labels, "c", "none"), "none");
  EXPECT_TRUE(erase_label(labels, "a"));
  EXPECT_FALSE(erase_label(labels, "a"));
  EXPECT_EQ(keys(labels), "b= ");
}

TEST(Labels, AreTheSameWithEqualPairs) {
  LabelMap a;
  LabelMap b;
  EXPECT_TRUE(same_labels(a, b));
  set_label(a, "app", "llama");
  EXPECT_FALSE(same_labels(a, b)) << "one has more";
  set_label(b, "app", "qwen");
  EXPECT_FALSE(same_labels(a, b)) << "another value";
  set_label(b, "app", "llama");
  EXPECT_TRUE(same_labels(a, b));
}

TEST(ResourceLists, AddAndSubtractByName) {
  ResourceMap total;
  ResourceMap more;
  set_amount(more, "nvidia.com/gpu", Quantity::whole(4));
  set_amount(more, "cpu", Quantity::milli(1500));
  add_amounts(total, more);
  add_amounts(total, more);
  EXPECT_EQ(total[0].name(), "cpu");
  EXPECT_EQ(total[0].quantity(), "3");
  EXPECT_EQ(amount_of(total, "nvidia.com/gpu").to_whole(), 8);
  subtract_amounts(total, more);
  EXPECT_EQ(amount_of(total, "cpu").to_milli(), 1500);
  EXPECT_TRUE(amount_of(total, "memory").is_zero());
}

}  // namespace
}  // namespace troupe
