// `troupe keys`, and what `run --listen` and `worker --join` refuse before anything is run.
#include <string>

#include <gtest/gtest.h>

#include "tests/emulator/cli/program.h"
#include "tests/emulator/cli/scenario_folder.h"

namespace troupe {
namespace {

using test::Output;
using test::troupe;

class Join : public test::ScenarioFolder {
 protected:
  Join() { write("s.yaml", scenario("")); }

  [[nodiscard]] Output run(const std::string& options) const {
    return troupe("run " + path("s.yaml") + " --out " + path("out") + " " + options);
  }
  static void bad_input(const Output& output, const std::string& words) {
    EXPECT_EQ(output.exit_code, 2) << output.text;
    EXPECT_NE(output.text.find(words), std::string::npos) << output.text;
  }
};

TEST_F(Join, KeysAreMadeOnceAndNotWrittenOver) {
  const Output made = troupe("keys " + path("run.keys"));
  EXPECT_EQ(made.exit_code, 0) << made.text;
  bad_input(troupe("keys " + path("run.keys")), "is there already");
  bad_input(troupe("keys " + path("no/such/folder")), "cannot be written");
}

TEST_F(Join, ANetworkWithoutKeysSaysWhatToDo) {
  bad_input(run("--processes 2 --listen tcp://127.0.0.1:5555"), "`troupe keys FILE` makes them");
  bad_input(troupe("worker --join tcp://127.0.0.1:5555"), "`troupe keys FILE` makes them");
}

TEST_F(Join, ArgumentsThatDoNotGoTogetherAreRefused) {
  const std::string keys = " --keys " + path("run.keys");
  EXPECT_EQ(troupe("keys " + path("run.keys")).exit_code, 0);
  bad_input(run("--processes 2" + keys), "go with --listen");
  bad_input(run("--processes 2 --spawn 1"), "go with --listen");
  bad_input(run("--listen ipc://" + path("s")), "--processes 2 or more");
  bad_input(run("--processes 2 --listen nonsense"), "expected ipc://PATH or tcp://HOST:PORT");
  bad_input(run("--processes 2 --listen ipc://@open"), "abstract socket");
  bad_input(run("--processes 2 --listen ipc://" + path("s") + keys), "takes no --keys");
  bad_input(run("--processes 2 --spawn 3 --listen tcp://127.0.0.1:5555" + keys), "more than");
  bad_input(run("--processes 2 --spawn 1 --listen tcp://*:5555" + keys), "every interface");
  bad_input(run("--processes 2 --listen tcp://127.0.0.1:5555 --keys " + path("s.yaml")), "s.yaml");
  const std::string join = "worker --join tcp://127.0.0.1:5555" + keys;
  bad_input(troupe(join + " --wait soon"), "--wait");
  bad_input(troupe(join + " --address 0.0.0.0"), "expected an address of this machine");
  bad_input(troupe("worker --join tcp://127.0.0.1:*" + keys), "no port");
}

TEST_F(Join, AWorkerThatNobodyAnswersEndsWithThree) {
  const Output output = troupe("worker --wait 200ms --join ipc://" + path("nobody"));
  EXPECT_EQ(output.exit_code, 3) << output.text;
  EXPECT_NE(output.text.find("no launcher has answered in 200ms"), std::string::npos)
      << output.text;
}

}  // namespace
}  // namespace troupe
