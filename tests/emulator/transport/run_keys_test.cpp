#include "emulator/transport/run_keys.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <zmq.hpp>

#include "emulator/transport/endpoint.h"
#include "emulator/transport/frame_socket.h"
#include "emulator/transport/gatekeeper.h"

namespace troupe::transport {
namespace {

using std::chrono::milliseconds;

class RunKeysTest : public testing::Test {
 protected:
  RunKeysTest() {
    std::string name = testing::TempDir() + "keys-" + std::string(6, 'X');
    folder_ = mkdtemp(name.data());
  }
  ~RunKeysTest() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "run.keys"; }
  void write(const std::string& text) const {
    std::ofstream(file()) << text;
    chmod(file().c_str(), 0600);
  }
  std::filesystem::path folder_;
};

TEST_F(RunKeysTest, ComeBackAsTheyWentAndAreTheirOwnersAlone) {
  const auto keys = make_keys();
  ASSERT_TRUE(keys && write_keys(*keys, file()));
  struct stat status {};
  ASSERT_EQ(stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const auto read = read_keys(file());
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->public_half, keys->public_half);
  EXPECT_EQ(read->secret_half, keys->secret_half);
}

TEST_F(RunKeysTest, AreNotWrittenOver) {
  write("something dear");
  EXPECT_FALSE(write_keys(*make_keys(), file()).has_value());
  std::string text;
  std::getline(std::ifstream(file()), text);
  EXPECT_EQ(text, "something dear");
}

TEST_F(RunKeysTest, ThatOthersMayReadAreRefused) {
  ASSERT_TRUE(write_keys(*make_keys(), file()).has_value());
  chmod(file().c_str(), 0440);
  EXPECT_TRUE(read_keys(file()).has_value()) << "a group may: Kubernetes mounts a Secret so";
  chmod(file().c_str(), 0644);
  const auto read = read_keys(file());
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find("chmod 600"), std::string::npos);
}

TEST_F(RunKeysTest, ThatAreNoneAreRefused) {
  const auto keys = make_keys();
  const auto others = make_keys();
  for (const std::string& text :
       {std::string(), std::string("troupe keys 2\n"), std::string("troupe keys 1\npublic x\n"),
        "troupe keys 1\npublic " + keys->public_half + "\nsecret " + others->secret_half + "\n",
        "troupe keys 1\npublic " + keys->public_half + "\nsecret " + std::string(40, '\t') +
            "\n"}) {
    write(text);
    EXPECT_FALSE(read_keys(file()).has_value()) << text;
  }
  EXPECT_FALSE(read_keys(folder_ / "nothing").has_value());
}

// A raw socket of somebody else: other keys, none, or not even ZeroMQ.
TEST_F(RunKeysTest, WhoHasOthersOrNoneNeverReachesTheParser) {
  const RunKeys keys = *make_keys();
  const RunKeys others = *make_keys();
  zmq::context_t context{1};
  const Gatekeeper gatekeeper(context, keys.public_half);
  FrameSocket inbox(context, Role::Inbox, &keys);
  const auto bound = inbox.bind("tcp://127.0.0.1:*");
  ASSERT_TRUE(bound.has_value());

  zmq::context_t theirs{1};
  zmq::socket_t plain(theirs, zmq::socket_type::push);
  zmq::socket_t stranger(theirs, zmq::socket_type::push);
  zmq::socket_t impostor(theirs, zmq::socket_type::push);
  for (zmq::socket_t* socket : {&stranger, &impostor}) {
    socket->set(zmq::sockopt::curve_publickey, others.public_half);
    socket->set(zmq::sockopt::curve_secretkey, others.secret_half);
  }
  stranger.set(zmq::sockopt::curve_serverkey, others.public_half);
  impostor.set(zmq::sockopt::curve_serverkey, keys.public_half);  // it has seen the public half
  zmq::socket_t raw(theirs, zmq::socket_type::stream);
  wire::Message ping;
  ping.mutable_ping();
  const std::string frame = encode_frame(ping);
  for (zmq::socket_t* socket : {&plain, &stranger, &impostor}) {
    socket->set(zmq::sockopt::linger, 0);
    socket->connect(*bound);
    socket->send(zmq::buffer(frame), zmq::send_flags::dontwait);
  }
  raw.set(zmq::sockopt::linger, 0);
  raw.connect(*bound);
  EXPECT_FALSE(inbox.receive(milliseconds(1000)).has_value());

  FrameSocket outbox(context, Role::Outbox, &keys);
  ASSERT_TRUE(outbox.connect(*bound).has_value());
  outbox.send(ping);
  EXPECT_TRUE(inbox.receive(milliseconds(5000)).has_value());
  EXPECT_GE(inbox.refused().peers, 4u);
  EXPECT_EQ(inbox.refused().frames, (std::array<std::uint64_t, kRefusals>{}));
}

TEST(Endpoint, IsOfThisMachineOrOfANetwork) {
  EXPECT_FALSE(parse_endpoint("ipc:///tmp/x")->network);
  const auto network = parse_endpoint("tcp://10.0.0.7:5555");
  ASSERT_TRUE(network.has_value());
  EXPECT_TRUE(network->network);
  EXPECT_EQ(network->host, "10.0.0.7");
  EXPECT_FALSE(network->every_interface());
  EXPECT_TRUE(parse_endpoint("tcp://*:5555")->every_interface());
  EXPECT_TRUE(parse_endpoint("tcp://[::]:5555")->every_interface());
}

TEST(Endpoint, ThatIsNoneIsRefused) {
  for (const char* text :
       {"", "tcp://", "tcp://:5", "tcp://host", "tcp://host:", "tcp://host:x", "tcp://host:70000",
        "ipc://", "ipc://@open-to-all", "inproc://x", "udp://10.0.0.1:5", "host:5555"}) {
    EXPECT_FALSE(parse_endpoint(text).has_value()) << text;
  }
}

TEST(Endpoint, OwnAddressIsThatOfTheRoute) {
  EXPECT_EQ(*own_address_towards(*parse_endpoint("tcp://127.0.0.1:5555")), "127.0.0.1");
  EXPECT_FALSE(own_address_towards(*parse_endpoint("tcp://no-such-host.invalid:1")).has_value());
}

}  // namespace
}  // namespace troupe::transport
