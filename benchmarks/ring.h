// A ring of actors, each of which passes on what it gets: the cost of one message and nothing else.
// Every actor starts one token, so as many messages are under way as there are actors.
#pragma once

#include <cstdint>

namespace troupe::bench {

struct RingResult {
  std::uint64_t messages = 0;
  double seconds = 0;
  [[nodiscard]] double per_second() const { return static_cast<double>(messages) / seconds; }
};

/// The full runtime: order key, latency draw, payload hash, chain, CAF carrier.
RingResult ring_troupe(int actors, std::uint64_t messages);
/// A binary heap of (time, receiver) that feeds CAF actors one message at a time: the least that
/// any such runtime must do.
RingResult ring_bare(int actors, std::uint64_t messages);
/// SimGrid's s4u actors and mailboxes on one host.
RingResult ring_simgrid(int actors, std::uint64_t messages);

}  // namespace troupe::bench
