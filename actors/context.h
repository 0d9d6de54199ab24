// All that an actor may do. The runtime implements it; tests have their own (tests/support/).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "actors/actor.h"
#include "messages/link.h"
#include "messages/sim_time.h"

namespace troupe {

/// How a message travels. Between two actors of one host every link takes no time.
struct Via {
  Link link = Link::Api;
  /// FIFO streams (watches) keep their order; 0 means a stream of its own, ordered with nothing.
  std::uint64_t stream = 0;
  /// What the message is about and which version of it, so that its latency is a function of its
  /// name and one perturbed message shifts no other. Left empty, the runtime counts per (sender,
  /// kind).
  std::uint64_t object = 0;
  std::optional<std::uint64_t> version = std::nullopt;
  /// Time that the sender adds before the link's latency: bytes over a bandwidth, say. Never
  /// negative.
  Duration extra{0};
};

class Context {
 public:
  virtual ~Context() = default;

  /// The time-stamp of the message in hand.
  [[nodiscard]] virtual SimTime now() const = 0;
  [[nodiscard]] virtual const Address& self() const = 0;
  [[nodiscard]] virtual const std::string& path() const = 0;

  virtual void send(const Address& to, Payload what, const Via& via) = 0;

  /// Delivers `what` to the actor itself after `delay` (0 or more), unless it is cancelled before.
  virtual TimerId set_timer(Duration delay, Payload what) = 0;
  /// Cancelling a timer that fired or never was is allowed and does nothing.
  virtual void cancel_timer(TimerId timer) = 0;

  /// Starts an actor on this host, at `path` (below the host's own). It may be sent to at once.
  virtual Address spawn(const std::string& path, std::unique_ptr<Actor> actor) = 0;
  /// Stops an actor of this host after the handler in hand returns; mail to it is refused from then
  /// on.
  virtual void stop(const Address& actor) = 0;

  /// Keeps `bytes` under `key` across a crash of the host; empty bytes erase. What one handler
  /// persists commits as one.
  virtual void persist(const std::string& key, std::string bytes) = 0;

  /// Records a fact for observers. It reaches no actor and costs no time.
  virtual void emit(Payload fact) = 0;

  /// A number drawn from the actor's own stream: a function of (seed, actor, purpose, index),
  /// whatever else was drawn.
  [[nodiscard]] virtual std::uint64_t random(std::string_view purpose,
                                             std::uint64_t index) const = 0;
};

}  // namespace troupe
