// What befalls hosts and messages: the faults that no actor could bring upon itself.

#include <utility>

#include "emulator/runtime/virtual_runtime.h"
#include "messages/facts.pb.h"

namespace troupe {
namespace {

const std::string kRuntimeName = "runtime";
/// A fact reaches the director as a watch would bring it, at least this late.
constexpr Duration kFactLatency = std::chrono::milliseconds(1);

}  // namespace

// A fault that came as a message to a host; false if it is none.
bool VirtualRuntime::befall(Host& host, const Delivery& delivery) {
  if (const auto* fault = delivery.as<fault::CrashHost>()) {
    std::optional<Duration> restart;
    if (fault->restarts()) restart = Duration(fault->restart_after_ns());
    crash(host, restart);
  } else if (const auto* skew = delivery.as<fault::SkewClock>()) {
    host.skew = Duration(skew->offset_ns());
  } else if (const auto* link = delivery.as<fault::OpenLink>()) {
    host.open_links[link->rule()] = from_ns(link->until_ns());
  } else {
    return false;
  }
  return true;
}

void VirtualRuntime::crash(Host& host, std::optional<Duration> restart_after) {
  if (!host.alive) return;
  end_life(host);
  facts::HostCrashed crashed;
  crashed.set_host(host.name);
  record_fact(kRuntimeName, Payload::of(std::move(crashed)));
  if (!restart_after) return;
  host_faults_[runtime_sequence_] = {host.name, false, std::nullopt, {}};
  push_fault(now_ + *restart_after, address_of(host.name), {});
}

void VirtualRuntime::tell_director(Cell& cell, const Payload& fact) {
  if (cell.address.host == options_.director.host) return;
  OrderKey key{now_ + std::max(kFactLatency, latency_.minimum(Link::Watch)),
               0,
               EventClass::Network,
               0,
               cell.id,
               cell.sequence++};
  key.tie = tie(cell.id, options_.director.actor, key.time);
  queue_.push(key, {options_.director, {fact, cell.address, 0, 0}});
}

// When a message that would be due at `due` arrives; nothing if it never does.
std::optional<SimTime> VirtualRuntime::travel(Cell& cell, const Effects::Send& send,
                                              const MessageName& name, SimTime due) {
  const LinkFate fate = link_faults_.judge(cell, {send.via.link, send.to.host, now_, due, name});
  if (fate.lost) return std::nullopt;
  if (fate.again) {
    OrderKey copy{*fate.again, 0, EventClass::Network, 0, cell.id, send.sequence};
    copy.tie = tie(cell.id, send.to.actor, copy.time);
    queue_.push(copy, {send.to, {send.what, cell.address, send.via.stream, 0}});
  }
  return fate.due;
}

}  // namespace troupe
