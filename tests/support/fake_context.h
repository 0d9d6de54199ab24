// A Context that records: what an actor sent, the timers it set, the facts it emitted, what it
// persisted.
//
// Time stands still until the test moves it. Randomness is a function of (purpose, index) unless
// the test fixes it.
//
//   FakeContext context("controller/hpa/0");
//   actor.start(context);
//   actor.receive(context, context.deliver(Payload::of(reply), "apiserver/0"));
//   context.run_timers(actor, 15s);                            // fires what is due, in order,
//   moving the clock EXPECT_EQ(context.sent_of<api::ApiRequest>().size(), 1u);
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/actor.h"
#include "actors/context.h"
#include "messages/address.h"
#include "messages/hash.h"

namespace troupe::testing {

class FakeContext final : public Context {
 public:
  struct Sent {
    Address to;
    Payload what;
    Via via;
    SimTime at;
  };
  struct Timer {
    TimerId id = 0;
    SimTime due;
    Payload what;
  };
  struct Spawned {
    std::string path;
    Address address;
    std::unique_ptr<Actor> actor;
  };

  explicit FakeContext(std::string path = "controller/test/0") : path_(std::move(path)) {
    self_ = address_of(path_);
    self_.incarnation = 1;
  }

  // ---- Context ----
  [[nodiscard]] SimTime now() const override { return now_; }
  [[nodiscard]] const Address& self() const override { return self_; }
  [[nodiscard]] const std::string& path() const override { return path_; }
  void send(const Address& to, Payload what, const Via& via) override {
    sent.push_back({to, std::move(what), via, now_});
  }
  TimerId set_timer(Duration delay, Payload what) override {
    timers.push_back({++last_timer_, now_ + delay, std::move(what)});
    return last_timer_;
  }
  void cancel_timer(TimerId id) override {
    std::erase_if(timers, [id](const Timer& timer) { return timer.id == id; });
  }
  Address spawn(const std::string& path, std::unique_ptr<Actor> actor) override {
    Address address = address_of(path);
    address.incarnation = 1;
    spawned.push_back({path, address, std::move(actor)});
    return address;
  }
  void stop(const Address& actor) override { stopped.push_back(actor); }
  void persist(const std::string& key, std::string bytes) override {
    if (bytes.empty()) {
      persisted.erase(key);
    } else {
      persisted[key] = std::move(bytes);
    }
  }
  void emit(Payload fact) override { facts.push_back(std::move(fact)); }
  [[nodiscard]] std::uint64_t random(std::string_view purpose, std::uint64_t index) const override {
    return fixed_random ? *fixed_random : mix(hash_bytes(purpose), index, seed);
  }

  // ---- what a test does ----
  void set_now(SimTime now) { now_ = now; }
  void advance(Duration by) { now_ += by; }

  /// A message from another actor, as the runtime would hand it over now.
  [[nodiscard]] Delivery deliver(Payload what, std::string_view from = "apiserver/0",
                                 std::uint64_t stream = 0) const {
    Address sender = address_of(from);
    sender.incarnation = 1;
    return {std::move(what), sender, stream, 0};
  }

  /// Takes the earliest timer (first set first among equals), moves the clock to it and returns its
  /// delivery.
  std::optional<Delivery> next_timer(SimTime until = SimTime::max()) {
    auto first = std::min_element(timers.begin(), timers.end(), [](const Timer& a, const Timer& b) {
      return std::pair(a.due, a.id) < std::pair(b.due, b.id);
    });
    if (first == timers.end() || first->due > until) return std::nullopt;
    now_ = std::max(now_, first->due);
    Delivery delivery{std::move(first->what), self_, 0, first->id};
    timers.erase(first);
    return delivery;
  }
  /// Fires whatever is due within `span`, then moves the clock to its end. `target` has
  /// receive(Context&, Delivery).
  template <class Target>
  void run_timers(Target& target, Duration span) {
    const SimTime until = now_ + span;
    while (auto delivery = next_timer(until)) target.receive(*this, *delivery);
    now_ = until;
  }

  /// All messages of one type that were sent, oldest first.
  template <class M>
  [[nodiscard]] std::vector<const M*> sent_of() const {
    return of_type<M>(sent, [](const Sent& one) -> const Payload& { return one.what; });
  }
  template <class M>
  [[nodiscard]] std::vector<const M*> facts_of() const {
    return of_type<M>(facts, [](const Payload& one) -> const Payload& { return one; });
  }
  /// The payload, with its attachments, of the newest message of that type; an empty one if there
  /// is none.
  template <class M>
  [[nodiscard]] Payload last_sent() const {
    for (auto it = sent.rbegin(); it != sent.rend(); ++it) {
      if (it->what.template as<M>() != nullptr) return it->what;
    }
    return {};
  }
  void clear() {
    sent.clear();
    facts.clear();
  }

  std::vector<Sent> sent;
  std::vector<Timer> timers;
  std::vector<Spawned> spawned;
  std::vector<Address> stopped;
  std::map<std::string, std::string> persisted;
  std::vector<Payload> facts;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> fixed_random;  ///< what random() returns, if set

 private:
  template <class M, class List, class Get>
  static std::vector<const M*> of_type(const List& list, Get get) {
    std::vector<const M*> found;
    for (const auto& one : list) {
      if (const M* message = get(one).template as<M>()) found.push_back(message);
    }
    return found;
  }

  std::string path_;
  Address self_;
  SimTime now_ = kTimeZero;
  TimerId last_timer_ = 0;
};

}  // namespace troupe::testing
