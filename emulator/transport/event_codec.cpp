#include "emulator/transport/event_codec.h"

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

wire::Event to_wire(const Departure& departure) {
  wire::Event event;
  *event.mutable_key() = to_message(departure.key);
  *event.mutable_to() = to_wire(departure.event.to);
  const Delivery& delivery = departure.event.delivery;
  *event.mutable_sender() = to_wire(delivery.sender);
  event.set_stream(delivery.stream);
  event.set_link(static_cast<std::uint32_t>(departure.event.link));
  *event.mutable_payload() = to_envelope(delivery.payload);
  return event;
}

Result<Departure> from_wire(const wire::Event& event) {
  Result<Payload> payload = from_envelope(event.payload());
  if (!payload) return tl::unexpected(payload.error());
  if (event.link() >= kLinkNames.size()) return fail("an event on an unknown link");
  if (event.key().class_() > static_cast<std::uint32_t>(EventClass::Timer)) {
    return fail("an event of an unknown class");
  }
  return Departure{from_message(event.key()),
                   {from_wire(event.to()),
                    {*std::move(payload), from_wire(event.sender()), event.stream(), 0},
                    static_cast<Link>(event.link())}};
}

}  // namespace troupe::transport
