// A small cluster in virtual time, for tests of several actors at once: hosts, latencies, losses,
// crashes.
//
// Messages between hosts take `latency` (a function of the test's choosing, 1 ms by default) and
// keep the order of their stream; within a host they take no time. It stands in for the runtime
// where a test wants to hold the wires in its hand.
//
//   FakeNetwork network;
//   network.add("apiserver/0", [] { return std::make_unique<ApiServerActor>(...); });
//   Probe& probe = network.add_probe("controller/test/0", [&](Context& context, const Delivery&
//   delivery) { ... }); network.lose = [](const Wire& wire) { return wire.what.as<api::ApiReply>()
//   != nullptr; }; network.run_for(10s);
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "actors/actor.h"
#include "actors/context.h"
#include "messages/address.h"
#include "messages/assert.h"
#include "messages/hash.h"
#include "messages/runtime.pb.h"

namespace troupe::testing {

/// A message on its way.
struct Wire {
  std::string from;
  Address to;
  const Payload& what;
  const Via& via;
};

class FakeNetwork {
 public:
  using Factory = std::function<std::unique_ptr<Actor>()>;

  std::function<Duration(const Wire&)> latency = [](const Wire&) { return Duration(1'000'000); };
  std::function<bool(const Wire&)> lose = [](const Wire&) { return false; };

  /// Begins a host, or an actor on a host that is there.
  Address add(const std::string& path, Factory factory) {
    factories_[path] = factory;
    return birth(path, factory());
  }
  [[nodiscard]] SimTime now() const { return now_; }
  [[nodiscard]] const std::vector<Payload>& facts() const { return facts_; }
  template <class M>
  [[nodiscard]] std::vector<const M*> facts_of() const {
    std::vector<const M*> found;
    for (const Payload& fact : facts_) {
      if (const M* one = fact.as<M>()) found.push_back(one);
    }
    return found;
  }
  /// How many messages of a type were sent.
  [[nodiscard]] std::size_t sent(const std::string& type) const {
    const auto found = sent_.find(type);
    return found == sent_.end() ? 0 : found->second;
  }

  void run_for(Duration span) {
    const SimTime until = now_ + span;
    while (!queue_.empty() && std::get<0>(queue_.begin()->first) <= until) {
      auto event = queue_.extract(queue_.begin());
      now_ = std::max(now_, std::get<0>(event.key()));
      deliver(std::move(event.mapped()));
    }
    now_ = until;
  }
  /// Runs `action` as the actor at `path`, now.
  void as(const std::string& path, const std::function<void(Context&)>& action) {
    Cell& cell = *cells_.at(address_of(path).actor);
    Port port(*this, cell);
    action(port);
  }

  /// The host's actors are gone, with their memory, timers and unread mail.
  void crash(const std::string& host) {
    std::erase_if(cells_, [&](const auto& entry) { return host_of(entry.second->path) == host; });
    alive_.erase(address_of(host).host);
  }
  /// Begins the host's root actor again; what its actors had persisted comes back to each.
  void restart(const std::string& host) { birth(host, factories_.at(host)()); }
  /// The actor sleeps: what is for it, its timers too, waits until it wakes.
  void pause(const std::string& path) { paused_[address_of(path).actor]; }
  void resume(const std::string& path) {
    auto held = paused_.extract(address_of(path).actor);
    if (held.empty()) return;
    for (Event& event : held.mapped()) push(now_, std::move(event));
  }
  /// The actor is gone but its host lives: mail to it is refused.
  void stop(const std::string& path) { cells_.erase(address_of(path).actor); }

 private:
  struct Cell {
    std::string path;
    Address address;
    std::unique_ptr<Actor> actor;
  };
  struct Event {
    Address to;
    Delivery delivery;
  };
  using Key = std::tuple<SimTime, std::uint64_t, std::uint64_t>;  // time, step, sequence

  class Port final : public Context {
   public:
    Port(FakeNetwork& network, Cell& cell) : network_(network), cell_(cell) {}
    [[nodiscard]] SimTime now() const override { return network_.now_; }
    [[nodiscard]] const Address& self() const override { return cell_.address; }
    [[nodiscard]] const std::string& path() const override { return cell_.path; }
    void send(const Address& to, Payload what, const Via& via) override {
      network_.post(cell_, to, std::move(what), via);
    }
    TimerId set_timer(Duration delay, Payload what) override {
      const TimerId id = ++network_.sequence_;
      network_.push(network_.now_ + delay,
                    {cell_.address, {std::move(what), cell_.address, 0, id}});
      return id;
    }
    void cancel_timer(TimerId timer) override { network_.cancelled_[timer] = true; }
    Address spawn(const std::string& path, std::unique_ptr<Actor> actor) override {
      return network_.birth(path, std::move(actor));
    }
    void stop(const Address& actor) override { network_.cells_.erase(actor.actor); }
    void persist(const std::string& key, std::string bytes) override {
      auto& entries = network_.persisted_[cell_.path];
      if (bytes.empty()) {
        entries.erase(key);
      } else {
        entries[key] = std::move(bytes);
      }
    }
    void emit(Payload fact) override { network_.facts_.push_back(std::move(fact)); }
    [[nodiscard]] std::uint64_t random(std::string_view purpose,
                                       std::uint64_t index) const override {
      return mix(cell_.address.actor, hash_bytes(purpose), index);
    }

   private:
    FakeNetwork& network_;
    Cell& cell_;
  };

  Address birth(const std::string& path, std::unique_ptr<Actor> actor) {
    Address address = address_of(path);
    address.incarnation = ++incarnations_[address.actor];
    alive_[address.host] = true;
    auto cell = std::make_unique<Cell>(Cell{path, address, std::move(actor)});
    Cell& born = *cell;
    cells_[address.actor] = std::move(cell);
    if (address.incarnation > 1) {
      runtime::Restored restored;
      for (const auto& [key, value] : persisted_[path]) {
        auto& entry = *restored.add_entries();
        entry.set_key(key);
        entry.set_value(value);
      }
      push(now_, {address, {Payload::of(std::move(restored)), {}, 0, 0}});
    }
    Port port(*this, born);
    born.actor->start(port);
    return address;
  }

  void post(const Cell& from, const Address& to, Payload what, const Via& via) {
    ++sent_[what.type_name()];
    const Wire wire{from.path, to, what, via};
    if (to.host != from.address.host && lose(wire)) return;
    SimTime at = now_ + via.extra;
    if (to.host != from.address.host) at += latency(wire);
    if (via.stream != 0) {
      SimTime& end = stream_ends_[{from.address.actor, to.actor, via.stream}];
      at = std::max(at, end);
      end = at;
    }
    push(at, {to, {std::move(what), from.address, via.stream, 0}});
  }
  void push(SimTime at, Event event) { queue_.emplace(Key{at, ++sequence_, 0}, std::move(event)); }

  void deliver(Event event) {
    if (event.delivery.timer != 0 && cancelled_.erase(event.delivery.timer) > 0) return;
    if (const auto paused = paused_.find(event.to.actor); paused != paused_.end()) {
      paused->second.push_back(std::move(event));
      return;
    }
    const auto found = cells_.find(event.to.actor);
    const bool lives =
        found != cells_.end() && (event.to.incarnation == Address::kAnyIncarnation ||
                                  event.to.incarnation == found->second->address.incarnation);
    if (lives) {
      Port port(*this, *found->second);
      found->second->actor->receive(port, event.delivery);
    } else if (event.delivery.timer == 0 && alive_.contains(event.to.host)) {
      refuse(event);
    }
  }
  void refuse(const Event& event) {
    const bool refusal = event.delivery.as<runtime::ConnectionRefused>() != nullptr;
    if (refusal || !event.delivery.sender) return;
    Payload what = Payload::of(runtime::ConnectionRefused{}, {event.delivery.payload});
    push(now_ + Duration(1'000'000),
         {event.delivery.sender, {std::move(what), event.to, event.delivery.stream, 0}});
  }

  SimTime now_ = kTimeZero;
  std::uint64_t sequence_ = 0;
  std::map<Key, Event> queue_;
  std::map<std::uint64_t, std::unique_ptr<Cell>> cells_;
  std::map<std::uint64_t, bool> alive_;
  std::map<std::uint64_t, std::vector<Event>> paused_;
  std::map<std::uint64_t, std::uint32_t> incarnations_;
  std::map<std::string, Factory> factories_;
  std::map<std::string, std::map<std::string, std::string>> persisted_;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, SimTime> stream_ends_;
  std::map<TimerId, bool> cancelled_;
  std::map<std::string, std::size_t> sent_;
  std::vector<Payload> facts_;
};

/// An actor whose behaviour is a function of the test's.
class Probe final : public Actor {
 public:
  using Handler = std::function<void(Context&, const Delivery&)>;
  explicit Probe(Handler handler) : handler_(std::move(handler)) {}
  void receive(Context& context, const Delivery& delivery) override { handler_(context, delivery); }

 private:
  Handler handler_;
};

}  // namespace troupe::testing
