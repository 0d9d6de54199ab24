// A run that is written to by others, or whose processes fail, ends as it should: with the same
// digest, or with a word that names who and what.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include <zmq.hpp>

#include "emulator/processes/child_process.h"
#include "emulator/transport/event_codec.h"
#include "emulator/transport/frame.h"
#include "messages/runtime.pb.h"
#include "tests/emulator/processes/launch.h"

namespace troupe {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using test::FakeWorker;
using test::Launch;
using test::pid_in;

constexpr const char* kScenario = "first-steps.yaml";

wire::Message message_with(const std::function<void(wire::Message&)>& fill) {
  wire::Message message;
  fill(message);
  return message;
}

// Messages of ours that make no sense where nobody has said hello.
std::vector<wire::Message> out_of_turn() {
  return {message_with([](auto& m) { m.mutable_joined()->set_endpoint("tcp://10.0.0.1:1"); }),
          message_with([](auto& m) { m.mutable_report()->set_delivered(7); }),
          message_with([](auto& m) { m.mutable_grant()->set_end_ns(-1); }),
          message_with([](auto& m) { m.mutable_batch()->set_from(0); }),
          message_with([](auto& m) { m.mutable_leave()->set_why("none"); }),
          wire::Message()};
}

wire::Event event(std::int64_t time) {
  wire::Event event;
  event.mutable_key()->set_time_ns(time);
  event.mutable_key()->set_class_(1);
  event.mutable_payload()->set_type("troupe.runtime.HostStop");
  return event;
}

// Batches that no peer of worker 0 sends.
std::vector<wire::Message> bad_batches() {
  const auto batch = [](std::uint32_t from, const wire::Event& one) {
    return message_with([&](wire::Message& message) {
      message.mutable_batch()->set_from(from);
      message.mutable_batch()->add_events(one.SerializeAsString());
    });
  };
  wire::Event unknown = event(1'000'000'000);
  unknown.mutable_payload()->set_type("troupe.NoSuchThing");
  wire::Event unparsable = event(1'000'000'000);
  unparsable.mutable_payload()->set_type("troupe.runtime.Restored");
  unparsable.mutable_payload()->set_body("\xff\xff\xff");
  wire::Event no_class = event(1'000'000'000);
  no_class.mutable_key()->set_class_(200);
  wire::Event no_link = event(1'000'000'000);
  no_link.set_link(99);
  wire::Message no_event = batch(1, event(1));
  *no_event.mutable_batch()->mutable_events(0) = "\xff";
  return {no_event,
          batch(99, event(1'000'000'000)),
          batch(0, event(1'000'000'000)),
          batch(1, unknown),
          batch(1, unparsable),
          batch(1, no_class),
          batch(1, no_link),
          batch(1, event(-5))};
}

// What is no frame, or of another time, and how often each is refused for what.
void write_bad_frames(zmq::socket_t& raw) {
  const std::string good =
      transport::encode_frame(message_with([](wire::Message& message) { message.mutable_ping(); }));
  std::string newer = good;
  newer[4] = static_cast<char>(transport::kProtocol + 1);
  std::string damaged = good;
  damaged[16] = static_cast<char>(damaged[16] ^ 1);
  for (const std::string& frame : {std::string("garbage"), newer, std::string(100'000'000, 'x'),
                                   good.substr(0, 20), damaged}) {
    raw.send(zmq::buffer(frame), zmq::send_flags::none);
  }
  raw.send(zmq::buffer(good), zmq::send_flags::sndmore);
  raw.send(zmq::buffer(good), zmq::send_flags::none);
}

void write_messages(zmq::socket_t& raw, const std::vector<wire::Message>& messages) {
  for (const wire::Message& message : messages) {
    raw.send(zmq::buffer(transport::encode_frame(message)), zmq::send_flags::none);
  }
}

std::string digest_alone(const plan::RunPlan& plan) {
  const Result<ExecuteResult> result = execute(plan, {});
  EXPECT_TRUE(result.has_value());
  return result ? result->summary["digest"].get<std::string>() : "";
}

CrewOptions crew_of(std::uint32_t processes, std::uint32_t spawned) {
  CrewOptions crew;
  crew.processes = processes;
  crew.spawned = spawned;
  crew.listen = "ipc";
  return crew;
}

ChildProcess worker(const std::string& endpoint, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"worker", "--join", endpoint};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Result<ChildProcess> child = ChildProcess::start(TROUPE_PROGRAM, arguments);
  EXPECT_TRUE(child.has_value());
  return *std::move(child);
}

bool ends_within(const std::function<bool()>& over, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!over() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(5ms);
  return over();
}

// While the launcher waits for the third worker, everybody is written to.
TEST(DisturbedRun, RefusesAndCountsWhatIsNotOfTheRunAndComesToTheSame) {
  const plan::RunPlan plan = test::plan_of(kScenario);
  Launch launch(plan, crew_of(3, 2));
  FakeWorker looker(launch.endpoint());
  zmq::context_t context{1};
  zmq::socket_t hub(context, zmq::socket_type::dealer);
  hub.connect(launch.endpoint());
  write_bad_frames(hub);
  write_messages(hub, out_of_turn());

  // The third place is taken for a moment, to learn where the inboxes are.
  launch.wait_for("process 1 (");
  looker.hello();
  const auto welcome = looker.hear(wire::Message::kWelcome);
  ASSERT_TRUE(welcome.has_value());
  const std::filesystem::path inbox = welcome->welcome().folder() + "/worker-0";
  ASSERT_TRUE(ends_within([&] { return std::filesystem::exists(inbox); }, 20s));
  zmq::socket_t raw(context, zmq::socket_type::push);
  raw.connect("ipc://" + inbox.string());
  write_bad_frames(raw);
  write_messages(raw, bad_batches());
  write_messages(raw, out_of_turn());
  looker.say(message_with([](wire::Message& m) { m.mutable_leave()->set_why("it only looked"); }));
  launch.wait_for("it only looked");
  ChildProcess third = worker(launch.endpoint());

  const ExecuteResult* result = launch.result();
  ASSERT_NE(result, nullptr) << launch.error();
  EXPECT_FALSE(result->defect) << result->defect->actor << " " << result->defect->what;
  EXPECT_EQ(result->summary["digest"], digest_alone(plan));
  const json& frames = result->summary["transport"]["refused_frames"];
  // Worker 0 reads its inbox when a window waits for a peer.
  EXPECT_GE(frames["garbage"], 2) << frames;
  EXPECT_GE(frames["version"], 1) << frames;
  EXPECT_GE(frames["too_large"], 1) << frames;
  EXPECT_GE(frames["torn"], 1) << frames;
  EXPECT_GE(frames["damaged"], 1) << frames;
  EXPECT_GE(frames["nonsense"], out_of_turn().size()) << frames;
  third.end_within(5s);
  EXPECT_EQ(third.ended(), "exit code 0");
}

struct BadReport {
  const char* name;
  std::function<void(wire::Message&)> fill;
  const char* said;
  friend void PrintTo(const BadReport& one, std::ostream* out) { *out << one.name; }
};

class BadReportTest : public testing::TestWithParam<BadReport> {};

TEST_P(BadReportTest, EndsTheRunAndNamesTheProcess) {
  Launch launch(test::plan_of(kScenario), crew_of(2, 1));
  FakeWorker fake(launch.endpoint());
  const auto process = fake.join();
  ASSERT_TRUE(process.has_value());
  fake.say(message_with(GetParam().fill));
  const ExecuteResult* result = launch.result();
  ASSERT_NE(result, nullptr) << launch.error();
  ASSERT_TRUE(result->defect.has_value());
  EXPECT_NE(result->defect->actor.find("process " + std::to_string(*process)), std::string::npos);
  EXPECT_NE(result->defect->what.find(GetParam().said), std::string::npos) << result->defect->what;
  EXPECT_EQ(result->summary["transport"]["refused_frames"]["nonsense"], 1);
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadReportTest,
    testing::Values(
        BadReport{"SentToProcess99",
                  [](wire::Message& m) { m.mutable_report()->add_sent()->set_process(99); },
                  "process 99"},
        BadReport{"SentInThePast",
                  [](wire::Message& m) {
                    wire::Sent& sent = *m.mutable_report()->add_sent();
                    sent.set_process(0);
                    sent.set_first_ns(-1);
                    wire::Sent& other = *m.mutable_report()->add_sent();
                    other.set_process(1);
                    other.set_first_ns(-1);
                  },
                  "it sent"},
        BadReport{"NextInThePast", [](wire::Message& m) { m.mutable_report()->set_next_ns(-1); },
                  "due in the past"},
        BadReport{"FactOfUnknownType",
                  [](wire::Message& m) {
                    m.mutable_facts()->add_facts()->mutable_fact()->set_type("troupe.NoSuchThing");
                  },
                  "unknown message type"}),
    [](const auto& each) { return each.param.name; });

TEST(DisturbedRun, AReportThatNobodyAskedForIsCounted) {
  Launch launch(test::plan_of(kScenario), crew_of(2, 1));
  {
    FakeWorker fake(launch.endpoint());
    ASSERT_TRUE(fake.join().has_value());
    const wire::Message report =
        message_with([](wire::Message& m) { m.mutable_report()->set_delivered(1); });
    fake.say(report);
    fake.say(report);
    std::this_thread::sleep_for(300ms);
  }  // and is gone
  const ExecuteResult* result = launch.result();
  ASSERT_NE(result, nullptr) << launch.error();
  EXPECT_GE(result->summary["transport"]["refused_frames"]["nonsense"], 1);
}

TEST(DisturbedRun, AWorkerThatDiesEndsTheRunAndIsNamed) {
  Launch launch(test::plan_of("placement.yaml"), crew_of(2, 2));
  const int pid = pid_in(launch.wait_for("process 1 ("));
  ASSERT_GT(pid, 0);
  std::this_thread::sleep_for(300ms);
  kill(pid, SIGKILL);
  const ExecuteResult* result = launch.result();
  if (result == nullptr) {  // it died before all had joined
    EXPECT_NE(launch.error().find("killed by signal 9"), std::string::npos) << launch.error();
    return;
  }
  ASSERT_TRUE(result->defect.has_value());
  EXPECT_NE(result->defect->actor.find("process 1"), std::string::npos);
  EXPECT_NE(result->defect->actor.find("killed by signal 9"), std::string::npos);
}

TEST(DisturbedRun, AWorkerThatIsStoppedIsNamedAndEndsTheRun) {
  Launch launch(test::plan_of("placement.yaml"), crew_of(2, 2));
  const int pid = pid_in(launch.wait_for("process 1 ("));
  ASSERT_GT(pid, 0);
  std::this_thread::sleep_for(300ms);
  const auto stopped = std::chrono::steady_clock::now();
  kill(pid, SIGSTOP);
  const ExecuteResult* result = launch.result();
  EXPECT_LT(std::chrono::steady_clock::now() - stopped, 20s);
  if (result != nullptr) {
    ASSERT_TRUE(result->defect.has_value());
    EXPECT_NE(result->defect->actor.find("process 1"), std::string::npos) << result->defect->actor;
    launch.wait_for("has not answered for 5 s");
  }
  EXPECT_TRUE(ends_within([pid] { return kill(pid, 0) != 0; }, 3s)) << "it was left behind";
}

TEST(DisturbedRun, AWorkerOfAnotherBuildIsRefused) {
  Launch launch(test::plan_of(kScenario), crew_of(2, 1));
  FakeWorker fake(launch.endpoint());
  fake.hello(1);
  const auto answer = fake.hear(wire::Message::kRefused);
  ASSERT_TRUE(answer.has_value());
  EXPECT_NE(answer->refused().why().find("another build"), std::string::npos);
  launch.wait_for("refused a worker of another build on a-fake");
}

TEST(DisturbedRun, AWorkerTooManyIsRefusedAndOneThatLeavesMakesRoom) {
  Launch launch(test::plan_of(kScenario), crew_of(2, 0));
  auto first = std::make_unique<FakeWorker>(launch.endpoint());
  first->hello();
  ASSERT_TRUE(first->hear(wire::Message::kWelcome).has_value());
  FakeWorker second(launch.endpoint());
  second.hello();
  ASSERT_TRUE(second.hear(wire::Message::kWelcome).has_value());
  FakeWorker third(launch.endpoint());
  third.hello();
  const auto answer = third.hear(wire::Message::kRefused);
  ASSERT_TRUE(answer.has_value());
  EXPECT_NE(answer->refused().why().find("has all its workers"), std::string::npos);
  first.reset();
  launch.wait_for("process 0 (pid " + std::to_string(getpid()) + " on a-fake) has left");
  FakeWorker fourth(launch.endpoint());
  fourth.hello();
  const auto welcome = fourth.hear(wire::Message::kWelcome);
  ASSERT_TRUE(welcome.has_value());
  EXPECT_EQ(welcome->welcome().process(), 0u);
}

}  // namespace
}  // namespace troupe
