// What befalls hosts and messages: the faults that no actor could bring upon itself.

#include <map>
#include <utility>

#include "emulator/runtime/virtual_runtime.h"
#include "messages/facts.pb.h"
#include "messages/hash.h"

namespace troupe {

std::uint64_t kind_of_fact(const std::string& name) {
  return hash_bytes(
      facts::PodBound::descriptor()->file()->FindMessageTypeByName(name)->full_name());
}

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
    open_link(host, *link);
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

void VirtualRuntime::open_link(Host& host, const fault::OpenLink& link) {
  const SimTime until = from_ns(link.until_ns());
  host.open_links[link.rule()] = until;
  if (until == SimTime::max() || !link_faults_.is_by_hand(link.rule())) return;
  fault::TakeRules over;
  over.add_passed(link.rule());
  push(key_of_host(host, until, EventClass::Fault),
       {address_of(host.name), {Payload::of(std::move(over)), {}, 0, 0}});
}

void VirtualRuntime::tell_directors(Cell& cell, const Payload& fact) {
  for (const FaultOptions::Ear& ear : options_.faults.ears) {
    if (!ear.facts.contains(fact.kind()) || cell.address.host == ear.director.host) continue;
    OrderKey key{
        now_ + fact_latency(latency_), 0, EventClass::Network, 0, cell.id, cell.sequence++};
    key.tie = tie(cell.id, ear.director.actor, key.time);
    push(key, {ear.director, {fact, cell.address, 0, 0}, Link::Watch});
  }
}

// What was given by hand: it holds for every host of this process from here on.
void VirtualRuntime::take_rules(const fault::TakeRules& rules) {
  for (const fault::LinkRule& rule : rules.links()) link_faults_.add(rule);
  if (rules.watched_facts_size() != 0) {
    FaultOptions::Ear& ear = options_.faults.ears.emplace_back();
    ear.director = address_of(rules.director());
    for (const std::string& name : rules.watched_facts()) ear.facts.insert(kind_of_fact(name));
  }
  for (const std::uint32_t rule : rules.ended()) link_faults_.end(rule);
  std::map<std::string_view, Host*> by_name;
  for (auto& [hash, host] : hosts_) {
    if (!host->held.empty()) by_name.emplace(host->name, host.get());
  }
  for (auto& [name, host] : by_name) {
    for (const std::uint32_t rule : rules.passed()) release_held(*host, rule);
    for (const std::uint32_t rule : rules.ended()) release_held(*host, rule);
  }
}

// TCP sends again when its timeout ends next, unless another rule stops that as well. What follows
// on the same stream waits for what was sent before.
void VirtualRuntime::release_held(Host& host, std::uint32_t rule) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, SimTime>
      ends;  // of streams whose actor is gone
  std::vector<HeldMessage> kept;
  for (HeldMessage& held : std::exchange(host.held, {})) {
    if (held.rule != rule) {
      kept.push_back(std::move(held));
      continue;
    }
    const LinkMessage again{held.event.link, held.event.to.host, now_, now_, {}};
    if (const auto other = link_faults_.holder(host, again)) {
      held.rule = *other;
      kept.push_back(std::move(held));
      continue;
    }
    OrderKey key = held.key;
    key.time = next_retransmission(held.sent, now_) + (held.key.time - held.sent);
    if (held.event.delivery.stream != 0) {
      const std::uint64_t channel = mix(held.event.to.actor, held.event.delivery.stream);
      if (Cell* const sender = find(held.event.delivery.sender)) {
        key.time = keep_stream_order(*sender, channel, key.time);
      } else {
        SimTime& end = ends[{held.event.delivery.sender.actor, channel}];
        key.time = end = std::max(key.time, end + Duration(1));
      }
    }
    key.tie = tie(key.sender, held.event.to.actor, key.time);
    push(key, std::move(held.event));
  }
  for (HeldMessage& held : kept) host.held.push_back(std::move(held));
}

// When a message that would be due at `due` arrives; nothing if it never does.
std::optional<SimTime> VirtualRuntime::travel(Cell& cell, const Effects::Send& send,
                                              const MessageName& name, SimTime due) {
  const LinkFate fate = link_faults_.judge(cell, {send.via.link, send.to.host, now_, due, name});
  if (fate.held_by) {
    OrderKey key{due, 0, EventClass::Network, 0, cell.id, send.sequence};
    cell.host.held.push_back(
        {*fate.held_by,
         now_,
         key,
         {send.to, {send.what, cell.address, send.via.stream, 0}, send.via.link}});
  }
  if (fate.lost || fate.held_by) return std::nullopt;
  if (fate.again) {
    OrderKey copy{*fate.again, 0, EventClass::Network, 0, cell.id, send.sequence};
    copy.tie = tie(cell.id, send.to.actor, copy.time);
    push(copy, {send.to, {send.what, cell.address, send.via.stream, 0}, send.via.link});
  }
  return fate.due;
}

}  // namespace troupe
