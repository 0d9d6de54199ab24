// What reaches a run's socket beside well-meant requests.
#include <thread>

#include <gmock/gmock.h>
#include <zmq.hpp>

#include "emulator/transport/frame.h"
#include "tests/emulator/console/attached_run.h"

namespace troupe::console {
namespace {

using std::chrono::seconds;

std::uint64_t refused_frames(AttachedRun& run) {
  std::uint64_t total = 0;
  for (const auto& [why, count] : run.server().refused()) total += count;
  return total;
}

TEST(ControlServer, RefusesAndCountsWhatIsNoRequest) {
  AttachedRun run;
  zmq::context_t context;
  zmq::socket_t stranger(context, zmq::socket_type::dealer);
  stranger.connect(run.server().endpoint());
  wire::Message request;
  request.mutable_request()->add_words("status");
  const std::string frame = transport::encode_frame(request);
  std::string newer = frame;
  newer[4] = 9;  // the version
  wire::Message other;
  other.mutable_ping();
  const std::string huge(std::size_t{100} << 20, 'x');
  for (const std::string& bytes :
       {std::string("garbage"), std::string(), newer, frame.substr(0, frame.size() / 2), huge,
        frame + "more", transport::encode_frame(other)}) {
    stranger.send(zmq::buffer(bytes), zmq::send_flags::none);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  for (int i = 0; i < 20; ++i) run.tell("status");
  EXPECT_EQ(refused_frames(run), 7u);
  EXPECT_THAT(run.tell("get processes"), testing::HasSubstr("garbage"));
  EXPECT_EQ(digest_of(run.finish()), plain_digest());
}

TEST(ControlServer, AnswersTwoConsolesAtOnce) {
  AttachedRun run;
  const auto second = *ControlClient::dial(run.folder().string());
  run.tell("step 10s");
  const std::uint64_t mine = *run.client().send({"get", "nodes"}, false);
  const std::uint64_t theirs = *second->send({"get", "pods"}, false);
  EXPECT_THAT(run.client().receive(mine, seconds(30))->text(), testing::HasSubstr("h100-0"));
  EXPECT_THAT(second->receive(theirs, seconds(30))->text(), testing::HasSubstr("llama-8b"));
  EXPECT_EQ(digest_of(run.finish()), plain_digest());
}

TEST(ControlServer, AConsoleThatDiesInTheMiddleChangesNothing) {
  AttachedRun run;
  {
    const auto doomed = *ControlClient::dial(run.folder().string());
    EXPECT_TRUE(doomed->send({"watch", "events"}, false));
    EXPECT_TRUE(doomed->send({"get", "pods", "-A", "-w"}, false));
    EXPECT_TRUE(doomed->send({"get", "pods", "-A", "-o", "json"}, false));
  }
  run.tell("step 10s");
  EXPECT_EQ(digest_of(run.finish()), plain_digest());
}

TEST(ControlServer, StreamsWhatIsNewUntilTheRunEnds) {
  AttachedRun run;
  const auto watcher = *ControlClient::dial(run.folder().string());
  const std::uint64_t id = *watcher->send({"watch", "events"}, false);
  ASSERT_TRUE(watcher->receive(id, seconds(30)));
  run.tell("step 10s");
  std::string text;
  while (text.find("ScalingReplicaSet") == std::string::npos) {
    const std::optional<control::Reply> reply = watcher->receive(id, seconds(30));
    ASSERT_TRUE(reply) << text;
    text += reply->text();
  }
  EXPECT_EQ(digest_of(run.finish()), plain_digest());
}

TEST(ControlClient, SaysThatNobodyRunsThere) {
  const Result<std::unique_ptr<ControlClient>> client = ControlClient::dial("no-such-folder");
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().message, testing::HasSubstr("no such run"));
  const auto stale = ControlClient::dial("ipc:///tmp/troupe-none/control");
  ASSERT_FALSE(stale);
  EXPECT_THAT(stale.error().message, testing::HasSubstr("nobody runs"));
}

TEST(ControlServer, LeavesNothingBehind) {
  std::string endpoint;
  std::filesystem::path folder;
  {
    AttachedRun run;
    endpoint = run.server().endpoint();
    folder = run.folder();
    EXPECT_TRUE(std::filesystem::exists(folder / "endpoint"));
    EXPECT_EQ(std::filesystem::status(std::filesystem::path(endpoint.substr(6)).parent_path())
                  .permissions(),
              std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(endpoint.substr(6)).parent_path()));
}

}  // namespace
}  // namespace troupe::console
