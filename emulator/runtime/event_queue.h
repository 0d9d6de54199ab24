// The pending deliveries, smallest order key first.
//
// A four-ary heap of (time, slot) over a slab of events: sifting moves 16-byte entries, four of
// which share a cache line, and looks into the slab only where two are due at one nanosecond.
#pragma once

#include <cstddef>
#include <vector>

#include "actors/actor.h"
#include "emulator/runtime/order_key.h"
#include "messages/link.h"

namespace troupe {

/// A delivery that waits for its time.
struct PendingEvent {
  Address to;
  Delivery delivery;
  Link link = Link::Api;  ///< that it came by, and a refusal goes back by
};

class EventQueue {
 public:
  void push(const OrderKey& key, PendingEvent event);
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  /// The smallest key. The queue must not be empty.
  [[nodiscard]] const OrderKey& next() const { return slots_[heap_.front().slot].key; }
  /// Removes and returns the event with the smallest key. The queue must not be empty.
  PendingEvent pop();

 private:
  struct Entry {
    SimTime time;
    std::uint32_t slot;
  };
  struct Slot {
    OrderKey key;
    PendingEvent event;
  };

  [[nodiscard]] bool before(const Entry& a, const Entry& b) const {
    if (a.time != b.time) [[likely]] {
      return a.time < b.time;
    }
    return slots_[a.slot].key < slots_[b.slot].key;
  }
  void sift_up(std::size_t position);
  void sift_down(std::size_t position);

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace troupe
