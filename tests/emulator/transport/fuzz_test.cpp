// Bytes of chance, and frames of ours with bytes changed: refused or read, never a crash.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "emulator/transport/event_batch.h"
#include "emulator/transport/frame.h"
#include "messages/assert.h"
#include "messages/hash.h"
#include "messages/runtime.pb.h"

namespace troupe::transport {
namespace {

constexpr std::size_t kHeader = 24;
constexpr int kRounds = 50'000;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return mix(seed_, ++count_) % bound; }
  char byte() { return static_cast<char>(below(256)); }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

std::string batch() {
  runtime::Restored restored;
  restored.add_entries()->set_key("a key");
  runtime::HostStart start;
  start.set_path("node/gpu-a-17");
  const Departure departure{
      {from_ns(5), 1, EventClass::Network, 0, 7, 9},
      {{1, 2, 3}, {Payload::of(restored, {Payload::of(start)}), {4, 5, 6}, 7, 0}, Link::Watch}};
  BatchWriter writer(1);
  writer.add(departure);
  writer.add(departure);
  return writer.take();
}

// Changes some bytes, cuts or lengthens.
std::string damaged(std::string frame, Dice& dice) {
  for (std::uint64_t changes = 1 + dice.below(4); changes > 0; --changes) {
    frame[dice.below(frame.size())] = dice.byte();
  }
  if (dice.below(8) == 0) frame.resize(dice.below(frame.size()) + 1);
  if (dice.below(8) == 0) frame.append(dice.below(64), dice.byte());
  return frame;
}

// Makes length and hash right again, so that what lies below them is read.
void mend(std::string& frame) {
  if (frame.size() < kHeader) return;
  const auto length = static_cast<std::uint32_t>(frame.size() - kHeader);
  const std::uint64_t hash = hash_bytes(std::string_view(frame).substr(kHeader));
  std::memcpy(frame.data() + 8, &length, sizeof length);
  std::memcpy(frame.data() + 16, &hash, sizeof hash);
}

void read_to_the_end(const Payload& payload) {
  static_cast<void>(payload.message().ByteSizeLong());
  for (const Payload& attachment : payload.attachments()) read_to_the_end(attachment);
}

// How many events of the frame are whole; they are read to the last byte.
int read_events(std::string_view frame) {
  const auto message = open_frame(frame);
  const std::optional<ReceivedBatch> received = message ? batch_of(*message) : std::nullopt;
  if (!received) return 0;
  int whole = 0;
  for (const std::string_view event : received->events) {
    const Result<Departure> departure = decode_event(event);
    if (!departure) continue;
    try {
      read_to_the_end(departure->event.delivery.payload);
      ++whole;
    } catch (const ContractViolation&) {  // what a frame with a fitting hash never has
    }
  }
  return whole;
}

TEST(Fuzz, BytesOfChanceAreRefused) {
  Dice dice(1);
  for (int round = 0; round < kRounds; ++round) {
    std::string frame(dice.below(200), '\0');
    for (char& byte : frame) byte = dice.byte();
    EXPECT_FALSE(decode_frame(frame).has_value()) << "round " << round;
  }
}

TEST(Fuzz, AFrameWithChangedBytesIsRefused) {
  Dice dice(2);
  const std::string good = batch();
  ASSERT_EQ(read_events(good), 2);
  for (int round = 0; round < kRounds; ++round) {
    const std::string frame = damaged(good, dice);
    // Only the header's reserved bytes are nobody's.
    if (frame.size() == good.size() && frame.substr(kHeader) == good.substr(kHeader)) continue;
    EXPECT_FALSE(decode_frame(frame).has_value()) << "round " << round;
  }
}

TEST(Fuzz, WhatIsBehindAHashThatFitsIsReadOrRefused) {
  Dice dice(3);
  const std::string good = batch();
  int read = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::string frame = damaged(good, dice);
    std::memcpy(frame.data(), good.data(), std::min<std::size_t>(6, frame.size()));
    mend(frame);
    read += read_events(frame);
  }
  EXPECT_GT(read, kRounds / 10) << "most changes never reached the events";
}

}  // namespace
}  // namespace troupe::transport
