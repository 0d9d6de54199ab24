// What befalls hosts and messages: the faults that no actor could bring upon itself.

#include <utility>

#include "emulator/runtime/virtual_runtime.h"
#include "messages/facts.pb.h"

namespace troupe {

// A fault that came as a message to a host; false if it is none.
bool VirtualRuntime::befall(Host& host, const Delivery& delivery) {
  if (const auto* fault = delivery.as<fault::CrashHost>()) {
    runtime::HostCrash message;
    message.set_restarts(fault->restarts());
    message.set_restart_after_ns(fault->restart_after_ns());
    fault->graceful() ? shut_down(host, message) : crash(host, message);
  } else if (const auto* skew = delivery.as<fault::SkewClock>()) {
    host.skew = Duration(skew->offset_ns());
  } else if (const auto* link = delivery.as<fault::OpenLink>()) {
    host.open_links[link->rule()] = from_ns(link->until_ns());
  } else {
    return false;
  }
  return true;
}

// The root hears of it and may still send; a nanosecond later nothing of the host is left.
void VirtualRuntime::shut_down(Host& host, const runtime::HostCrash& end) {
  OrderKey key = key_of_host(host, now_, EventClass::Fault);
  key.step = current_.step + 1;
  push(key, {address_of(host.name), {Payload::of(fault::ShutDown{}), {}, 0, 0}});
  push(key_of_host(host, now_ + Duration(1), EventClass::Fault),
       {address_of(host.name), {Payload::of(end), {}, 0, 0}});
}

void VirtualRuntime::tell_director(Cell& cell, const Payload& fact) {
  if (cell.address.host == options_.faults.director.host) return;
  OrderKey key{now_ + fact_latency(latency_), 0, EventClass::Network, 0, cell.id, cell.sequence++};
  key.tie = tie(cell.id, options_.faults.director.actor, key.time);
  push(key, {options_.faults.director, {fact, cell.address, 0, 0}, Link::Watch});
}

// When a message that would be due at `due` arrives; nothing if it never does.
std::optional<SimTime> VirtualRuntime::travel(Cell& cell, const Effects::Send& send,
                                              const MessageName& name, SimTime due) {
  const LinkFate fate = link_faults_.judge(cell, {send.via.link, send.to.host, now_, due, name});
  if (fate.lost) return std::nullopt;
  if (fate.again) {
    OrderKey copy{*fate.again, 0, EventClass::Network, 0, cell.id, send.sequence};
    copy.tie = tie(cell.id, send.to.actor, copy.time);
    push(copy, {send.to, {send.what, cell.address, send.via.stream, 0}, send.via.link});
  }
  return fate.due;
}

}  // namespace troupe
