#include "emulator/transport/frame.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::transport {
namespace {

wire::Message grant() {
  wire::Message message;
  message.mutable_grant()->set_end_ns(12345);
  return message;
}

Refusal refusal_of(const std::string& frame) {
  const auto decoded = decode_frame(frame);
  EXPECT_FALSE(decoded.has_value());
  return decoded.has_value() ? Refusal::Garbage : decoded.error();
}

TEST(Frame, ComesBackAsItWent) {
  const auto decoded = decode_frame(encode_frame(grant()));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->grant().end_ns(), 12345);
}

TEST(Frame, OfSomebodyElseIsGarbage) {
  EXPECT_EQ(refusal_of(""), Refusal::Garbage);
  EXPECT_EQ(refusal_of("TRP"), Refusal::Garbage);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\n\r\n"), Refusal::Garbage);
  EXPECT_EQ(refusal_of(std::string(1000, '\0')), Refusal::Garbage);
}

TEST(Frame, OfAnotherVersionIsRefusedAsThat) {
  std::string frame = encode_frame(grant());
  frame[4] = static_cast<char>(kProtocol + 1);
  EXPECT_EQ(refusal_of(frame), Refusal::Version);
}

TEST(Frame, ThatIsCutAnywhereIsRefused) {
  const std::string frame = encode_frame(grant());
  for (std::size_t length = 0; length < frame.size(); ++length) {
    EXPECT_FALSE(decode_frame(frame.substr(0, length)).has_value()) << length;
  }
  EXPECT_EQ(refusal_of(frame.substr(0, frame.size() - 1)), Refusal::Torn);
  EXPECT_EQ(refusal_of(frame + "x"), Refusal::Torn);
}

TEST(Frame, WithAFlippedBitIsRefused) {
  const std::string frame = encode_frame(grant());
  constexpr std::size_t kReserved[] = {6, 7, 12, 13, 14, 15};
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (std::find(std::begin(kReserved), std::end(kReserved), i) != std::end(kReserved)) continue;
    std::string damaged = frame;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_FALSE(decode_frame(damaged).has_value()) << "byte " << i;
  }
}

TEST(Frame, OfAHundredMegabytesIsTooLarge) {
  EXPECT_EQ(refusal_of(std::string(100'000'000, 'x')), Refusal::TooLarge);
}

}  // namespace
}  // namespace troupe::transport
