// What the runtime keeps for one life of an actor: its logic, its counters, its chain.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>
#include <caf/actor.hpp>

#include "actors/actor.h"
#include "emulator/runtime/digest.h"
#include "messages/hash.h"
#include "messages/sim_time.h"

namespace troupe {

/// Keys are hashes already.
struct IdentityHash {
  std::size_t operator()(std::uint64_t value) const { return static_cast<std::size_t>(value); }
};

/// Flat tables: a delivery looks into several, and each miss of the cache costs as much as the rest
/// of the work. Nobody may go by their order.
template <class Value>
using HashTable = tsl::robin_map<std::uint64_t, Value, IdentityHash>;

struct Host;

struct Cell {
  Cell(Host& home, std::string actor_path, const Address& actor_address,
       std::unique_ptr<Actor> actor)
      : address(actor_address),
        id(mix(actor_address.actor, actor_address.incarnation)),
        logic(std::move(actor)),
        host(home),
        path(std::move(actor_path)) {}

  // What every delivery touches stands together.
  Address address;
  std::uint64_t id;  ///< sender id in order keys: hash of path and incarnation
  std::unique_ptr<Actor> logic;
  caf::actor carrier;          ///< the CAF actor that hosts the logic
  std::uint64_t sequence = 0;  ///< sends and timers so far
  Chain chain;
  bool touched = false;  ///< the chain moved since `counted` was made

  Digest counted;  ///< the contribution that the run's digest holds
  Host& host;
  std::string path;
  tsl::robin_set<TimerId> armed_timers;
  /// Of FIFO streams: when the last message on (receiver, stream) is due.
  HashTable<SimTime> stream_ends;
  /// For messages without a version: how many of (receiver, kind) were sent.
  HashTable<std::uint64_t> kind_counts;
};

}  // namespace troupe
