#include "emulator/transport/frame_socket.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include <zmq.hpp>

namespace troupe::transport {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{2000};

class FrameSocketTest : public testing::Test {
 protected:
  FrameSocketTest() {
    std::string name = testing::TempDir() + "sockets-" + std::string(6, 'X');
    folder_ = mkdtemp(name.data());
  }
  ~FrameSocketTest() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string endpoint() const { return "ipc://" + (folder_ / "it").string(); }
  static std::optional<Received> next(FrameSocket& socket) {
    for (int i = 0; i < 100; ++i) {
      if (auto received = socket.receive(milliseconds(100))) return received;
    }
    return std::nullopt;
  }
  static wire::Message ping() {
    wire::Message message;
    message.mutable_ping();
    return message;
  }
  static std::uint64_t count(FrameSocket& socket, Refusal refusal) {
    return socket.refused().frames.at(static_cast<std::size_t>(refusal));
  }
  std::filesystem::path folder_;
  zmq::context_t context_{1};
};

TEST_F(FrameSocketTest, AHubKnowsItsPeersApart) {
  FrameSocket hub(context_, Role::Hub);
  const Result<std::string> bound = hub.bind(endpoint());
  ASSERT_TRUE(bound.has_value());
  FrameSocket a(context_, Role::Spoke);
  FrameSocket b(context_, Role::Spoke);
  ASSERT_TRUE(a.connect(*bound).has_value());
  ASSERT_TRUE(b.connect(*bound).has_value());
  a.send(ping());
  b.send(ping());
  const auto first = hub.receive(kPatience);
  const auto second = hub.receive(kPatience);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->from, second->from);
  wire::Message over;
  over.mutable_finish();
  EXPECT_EQ(hub.send(over, first->from), FrameSocket::Sent::Yes);
  EXPECT_EQ(hub.send(over, "nobody"), FrameSocket::Sent::Gone);
  EXPECT_TRUE(a.receive(milliseconds(500)) || b.receive(milliseconds(500)));
}

TEST_F(FrameSocketTest, WhatIsNoFrameIsRefusedAndCountedAndTheNextIsRead) {
  FrameSocket inbox(context_, Role::Inbox);
  const Result<std::string> bound = inbox.bind(endpoint());
  ASSERT_TRUE(bound.has_value());
  zmq::socket_t raw(context_, zmq::socket_type::push);
  raw.connect(*bound);
  const std::string good = encode_frame(ping());
  std::string newer = good;
  newer[4] = static_cast<char>(kProtocol + 1);
  for (const std::string& frame :
       {std::string("garbage"), newer, std::string(100'000'000, 'x'), good.substr(0, 20)}) {
    raw.send(zmq::buffer(frame), zmq::send_flags::none);
  }
  raw.send(zmq::buffer(good), zmq::send_flags::sndmore);  // a part too many
  raw.send(zmq::buffer(good), zmq::send_flags::none);
  raw.send(zmq::buffer(good), zmq::send_flags::none);
  const auto received = next(inbox);
  ASSERT_TRUE(received.has_value());
  EXPECT_TRUE(received->message.has_ping());
  EXPECT_EQ(count(inbox, Refusal::Garbage), 2u);
  EXPECT_EQ(count(inbox, Refusal::Version), 1u);
  EXPECT_EQ(count(inbox, Refusal::TooLarge), 1u);
  EXPECT_EQ(count(inbox, Refusal::Torn), 1u);
}

TEST_F(FrameSocketTest, AFullQueueIsSaidAndNothingIsLost) {
  FrameSocket inbox(context_, Role::Inbox);
  const Result<std::string> bound = inbox.bind(endpoint());
  ASSERT_TRUE(bound.has_value());
  FrameSocket outbox(context_, Role::Outbox);
  ASSERT_TRUE(outbox.connect(*bound).has_value());
  std::uint64_t sent = 0;
  for (int quiet = 0; quiet < 200;) {
    if (outbox.send(ping()) == FrameSocket::Sent::Yes) {
      ++sent;
      quiet = 0;
    } else {
      usleep(1000);
      ++quiet;
    }
  }
  EXPECT_LE(sent, 4100u) << "bounded on both sides";
  std::uint64_t received = 0;
  while (inbox.receive(milliseconds(300))) ++received;
  EXPECT_EQ(received, sent);
}

TEST_F(FrameSocketTest, AnEndpointThatIsNoneIsRefused) {
  FrameSocket socket(context_, Role::Hub);
  EXPECT_FALSE(socket.bind("nonsense").has_value());
  FrameSocket spoke(context_, Role::Spoke);
  EXPECT_FALSE(spoke.connect("tcp://").has_value());
}

}  // namespace
}  // namespace troupe::transport
