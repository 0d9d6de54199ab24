// A host: the actors that may exchange zero-delay messages. It is the unit of placement and of
// crash, and what outlives its actors: the counters of incarnations and the persisted entries.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/runtime/cell.h"
#include "emulator/runtime/event_queue.h"
#include "messages/payload.h"
#include "messages/sim_time.h"

namespace troupe {

struct HeldMessage {
  std::uint32_t rule = 0;  ///< its number
  SimTime sent;
  OrderKey key;  ///< without any fault
  PendingEvent event;
};

struct Host {
  std::string name;
  Payload start;  ///< the HostStart that began it; a restart repeats it
  bool alive = false;
  bool stopped = false;  ///< for good: mail vanishes, no restart
  std::uint32_t lives = 0;
  /// Path hash -> how many actors have lived at it.
  std::unordered_map<std::uint64_t, std::uint32_t, IdentityHash> incarnations;
  std::uint32_t first_incarnation = 0;  ///< of any path is one above this
  [[nodiscard]] std::uint32_t next_incarnation(std::uint64_t actor) {
    return first_incarnation + ++incarnations[actor];
  }
  /// The actors alive now, by path: ordered, since a crash ends them in this order.
  std::map<std::string, std::unique_ptr<Cell>> cells;
  /// "actor path\nkey" -> bytes. Survives a crash.
  std::map<std::string, std::map<std::string, std::string>> persisted;
  std::uint64_t sequence = 0;  ///< of what the host itself sends: refusals
  Duration skew{0};            ///< how far its clock is ahead of the others'
  /// Rules of the network that a condition opened for what it sends, and until when.
  std::map<std::uint32_t, SimTime> open_links;
  /// What a fault of the network that was given by hand holds back, in the order of its sending. It
  /// is in the host's memory: a crash loses it.
  std::vector<HeldMessage> held;
};

}  // namespace troupe
