#include "emulator/transport/event_codec.h"

#include <algorithm>

#include "emulator/runtime/order_key_message.h"
#include "messages/envelope.h"

namespace troupe::transport {

wire::Address to_wire(const Address& address) {
  wire::Address wire;
  wire.set_host(address.host);
  wire.set_actor(address.actor);
  wire.set_incarnation(address.incarnation);
  return wire;
}

Address from_wire(const wire::Address& address) {
  return {address.host(), address.actor(), address.incarnation()};
}

wire::Event to_wire(const Departure& departure, bool with_payload) {
  wire::Event event;
  *event.mutable_key() = to_message(departure.key);
  *event.mutable_to() = to_wire(departure.event.to);
  const Delivery& delivery = departure.event.delivery;
  *event.mutable_sender() = to_wire(delivery.sender);
  event.set_stream(delivery.stream);
  event.set_link(static_cast<std::uint32_t>(departure.event.link));
  if (with_payload) fill_envelope(delivery.payload, *event.mutable_payload());
  return event;
}

Result<Departure> from_wire(const wire::Event& event) {
  if (event.link() >= kLinkNames.size()) return fail("an event on an unknown link");
  if (event.key().class_() > static_cast<std::uint32_t>(EventClass::Timer)) {
    return fail("an event of an unknown class");
  }
  Result<Payload> payload = from_envelope(event.payload());
  if (!payload) return tl::unexpected(payload.error());
  return Departure{from_message(event.key()),
                   {from_wire(event.to()),
                    {*std::move(payload), from_wire(event.sender()), event.stream(), 0},
                    static_cast<Link>(event.link())}};
}

wire::Refusals to_wire(const Refused& refused) {
  wire::Refusals refusals;
  for (const std::uint64_t frames : refused.frames) refusals.add_frames(frames);
  refusals.set_peers(refused.peers);
  return refusals;
}

Refused from_wire(const wire::Refusals& refusals) {
  Refused refused;
  for (int i = 0; i < std::min<int>(refusals.frames_size(), kRefusals); ++i) {
    refused.frames[static_cast<std::size_t>(i)] = refusals.frames(i);
  }
  refused.peers = refusals.peers();
  return refused;
}

}  // namespace troupe::transport
