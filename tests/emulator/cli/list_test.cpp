// `troupe list`: everything that there is.
#include <string>

#include <gtest/gtest.h>

#include "messages/scenario.pb.h"
#include "tests/emulator/cli/program.h"

namespace troupe {
namespace {

TEST(List, HasALineForEachFaultThatAScenarioKnows) {
  const test::Output output = test::troupe("list faults");
  EXPECT_EQ(output.exit_code, 0);
  const auto& fault = *config::Fault::descriptor();
  for (int i = 0; i < fault.field_count(); ++i) {
    const std::string name = fault.field(i)->json_name();
    const bool is_frame = name == "at" || name == "when" || name == "every" || name == "rate" ||
                          name == "target" || name == "probability" || name == "duration" ||
                          name == "after" || name == "start";
    if (is_frame) continue;
    EXPECT_NE(output.text.find("\n  " + name + " "), std::string::npos) << name;
  }
}

TEST(List, SaysSoWhereThereIsNothing) {
  const test::Output output = test::shell("cd / && " TROUPE_PROGRAM " list scenarios");
  EXPECT_EQ(output.exit_code, 0);
  EXPECT_NE(output.text.find("none in ./scenarios"), std::string::npos) << output.text;
}

}  // namespace
}  // namespace troupe
