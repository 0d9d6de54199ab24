// Batches of events: protobuf on the wire, read back as they were written, refused where they are
// none.
#include <gtest/gtest.h>

#include "emulator/transport/event_batch.h"
#include "emulator/transport/event_codec.h"
#include "emulator/transport/frame.h"
#include "messages/envelope.h"
#include "messages/runtime.pb.h"

namespace troupe::transport {
namespace {

Departure sample_departure() {
  runtime::HostStart start;
  start.set_path("node/gpu-a-17");
  runtime::Restored restored;
  restored.add_entries()->set_key("a key");
  OrderKey key{from_ns(-5), 0xffffffff, EventClass::Timer, ~0ULL, 0, ~0ULL};
  return {key,
          {{~0ULL, 2, 0xffffffff},
           {Payload::of(restored, {Payload::of(start), Payload::of(runtime::HostStop{})}),
            {4, 5, 6},
            ~0ULL,
            0},
           Link::Watch}};
}

TEST(EventBatch, IsAMessageAsProtobufHasIt) {
  const Departure departure = sample_departure();
  BatchWriter writer(3);
  writer.add(departure);
  writer.add(departure);
  const auto message = decode_frame(writer.take());
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->batch().from(), 3u);
  ASSERT_EQ(message->batch().events_size(), 2);
  wire::Event event;
  ASSERT_TRUE(event.ParseFromString(message->batch().events(1)));
  EXPECT_EQ(event.SerializeAsString(), to_wire(departure).SerializeAsString());
  EXPECT_TRUE(writer.empty());
}

TEST(EventBatch, IsReadAsItWasWritten) {
  const Departure departure = sample_departure();
  BatchWriter writer(3);
  writer.add(departure);
  const std::string frame = writer.take();
  const std::optional<ReceivedBatch> batch = batch_of(*open_frame(frame));
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->from, 3u);
  ASSERT_EQ(batch->events.size(), 1u);
  const Result<Departure> read = decode_event(batch->events[0]);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(to_wire(*read).SerializeAsString(), to_wire(departure).SerializeAsString());
  const Payload& payload = read->event.delivery.payload;
  EXPECT_EQ(payload.hash(), departure.event.delivery.payload.hash());
  EXPECT_EQ(payload.kind(), departure.event.delivery.payload.kind());
  ASSERT_NE(payload.as<runtime::Restored>(), nullptr);
  EXPECT_EQ(payload.as<runtime::Restored>()->entries(0).key(), "a key");
  EXPECT_EQ(payload.as<runtime::HostStop>(), nullptr);
  EXPECT_EQ(payload.attachments().at(0).as<runtime::HostStart>()->path(), "node/gpu-a-17");
}

TEST(EventBatch, AnEmptyBatchIsOne) {
  const std::string frame = BatchWriter(1).take();
  const std::optional<ReceivedBatch> batch = batch_of(*open_frame(frame));
  ASSERT_TRUE(batch.has_value());
  EXPECT_TRUE(batch->events.empty());
}

TEST(EventBatch, AnotherMessageIsNone) {
  wire::Message ping;
  ping.mutable_ping();
  EXPECT_FALSE(batch_of(ping.SerializeAsString()).has_value());
  EXPECT_FALSE(batch_of("").has_value());
}

TEST(EventBatch, AnEventWithoutPayloadOrOfAnUnknownTypeIsRefused) {
  wire::Event event = to_wire(sample_departure(), false);
  EXPECT_FALSE(decode_event(event.SerializeAsString()).has_value());
  event.mutable_payload()->set_type("troupe.NoSuchThing");
  EXPECT_FALSE(decode_event(event.SerializeAsString()).has_value());
  event = to_wire(sample_departure());
  event.set_link(1000);
  EXPECT_FALSE(decode_event(event.SerializeAsString()).has_value());
}

TEST(EventBatch, AttachmentsWithoutEndAreRefused) {
  wire::Event event = to_wire(sample_departure());
  std::string nested = event.payload().SerializeAsString();
  for (int depth = 0; depth < 2 * kEnvelopeDepthMax; ++depth) {
    runtime::Envelope around;
    around.set_type("troupe.runtime.HostStop");
    around.add_attachments()->ParseFromString(nested);
    nested = around.SerializeAsString();
  }
  EXPECT_FALSE(read_envelope(nested, nullptr).has_value());
}

}  // namespace
}  // namespace troupe::transport
