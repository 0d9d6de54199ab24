#include "actors/kubelet/pre_stop.h"

#include <gtest/gtest.h>

namespace troupe::kubelet {
namespace {

Duration delay_of(std::initializer_list<const char*> command) {
  k8s::Container container;
  auto* exec = container.mutable_lifecycle()->mutable_pre_stop()->mutable_exec();
  for (const char* word : command) exec->add_command(word);
  return pre_stop_delay(container);
}

TEST(PreStop, TakesNoTimeWithoutAHook) {
  EXPECT_EQ(pre_stop_delay({}), Duration::zero());
}

TEST(PreStop, SleepsAsTheSleepActionSays) {
  k8s::Container container;
  container.mutable_lifecycle()->mutable_pre_stop()->mutable_sleep()->set_seconds(7);
  EXPECT_EQ(pre_stop_delay(container), std::chrono::seconds(7));
}

TEST(PreStop, FindsASleepInACommand) {
  EXPECT_EQ(delay_of({"sleep", "15"}), std::chrono::seconds(15));
  EXPECT_EQ(delay_of({"/bin/sh", "-c", "sleep 20 && nginx -s quit"}), std::chrono::seconds(20));
  EXPECT_EQ(delay_of({"sh", "-c", "echo bye; /bin/sleep  5"}), std::chrono::seconds(5));
}

TEST(PreStop, IgnoresOtherCommands) {
  EXPECT_EQ(delay_of({"nginx", "-s", "quit"}), Duration::zero());
  EXPECT_EQ(delay_of({"sh", "-c", "nosleep 5"}), Duration::zero());
  EXPECT_EQ(delay_of({"sh", "-c", "sleep $GRACE"}), Duration::zero());
}

}  // namespace
}  // namespace troupe::kubelet
