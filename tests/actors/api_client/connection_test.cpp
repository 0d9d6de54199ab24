#include "actors/api_client/connection.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/fake_context.h"

namespace troupe {
namespace {

using namespace std::chrono_literals;
using testing::FakeContext;

Address life(std::string_view path, std::uint32_t incarnation) {
  Address address = address_of(path);
  address.incarnation = incarnation;
  return address;
}

TEST(Connection, SpreadsClientsAndReconnectsOverTheReplicas) {
  std::set<std::uint32_t> by_client;
  for (int i = 0; i < 32; ++i) {
    FakeContext context("node/n" + std::to_string(i));
    by_client.insert(Connection(3).replica(context));
  }
  EXPECT_EQ(by_client.size(), 3u);
  FakeContext context;
  Connection connection(3);
  std::set<std::uint32_t> by_number;
  for (int i = 0; i < 32; ++i) {
    by_number.insert(connection.replica(context));
    connection.drop();
  }
  EXPECT_EQ(by_number.size(), 3u);
}

TEST(Connection, HoldsOnToTheLifeThatAnswered) {
  FakeContext context;
  Connection connection(1);
  EXPECT_EQ(connection.server(context), address_of("apiserver/0"));
  EXPECT_TRUE(connection.heard(context, life("apiserver/0", 4)));
  EXPECT_EQ(connection.server(context).incarnation, 4u);
  EXPECT_FALSE(connection.heard(context, life("apiserver/0", 5)));
  EXPECT_FALSE(connection.heard(context, life("apiserver/1", 4)));
}

TEST(Connection, IsPingedWhenIdleAndBrokenWithoutAnAnswer) {
  FakeContext context;
  Connection connection(1);
  connection.server(context);
  EXPECT_EQ(connection.check(kTimeZero + 29s).health, Connection::Health::Quiet);
  const auto ping = connection.check(kTimeZero + 30s);
  EXPECT_EQ(ping.health, Connection::Health::SendPing);
  EXPECT_EQ(ping.next, kTimeZero + 45s);
  EXPECT_EQ(connection.check(kTimeZero + 45s).health, Connection::Health::Broken);
}

TEST(Connection, AnAnswerToThePingSavesIt) {
  FakeContext context;
  Connection connection(1);
  connection.server(context);
  static_cast<void>(connection.check(kTimeZero + 30s));
  context.set_now(kTimeZero + 31s);
  connection.heard(context, life("apiserver/0", 1));
  EXPECT_EQ(connection.check(kTimeZero + 45s).health, Connection::Health::Quiet);
}

TEST(Connection, ABusyOneStillShowsItsLifeOnceAMinute) {
  FakeContext context;
  Connection connection(1);
  connection.server(context);
  for (int second = 10; second < 60; second += 10) {
    context.set_now(kTimeZero + std::chrono::seconds(second));
    connection.heard(context, life("apiserver/0", 1));
    EXPECT_EQ(connection.check(context.now()).health, Connection::Health::Quiet);
  }
  EXPECT_EQ(connection.check(kTimeZero + 60s).health, Connection::Health::SendPing);
}

}  // namespace
}  // namespace troupe
