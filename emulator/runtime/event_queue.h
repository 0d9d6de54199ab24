// The pending deliveries, smallest order key first.
//
// A four-ary heap of (key, slot) over a slab of event bodies: sifting moves 56-byte entries and
// leaves the payloads where they are. Four children share two cache lines; measured against a
// binary heap it saves about a fifth at 10,000 events.
#pragma once

#include <cstddef>
#include <vector>

#include "actors/actor.h"
#include "emulator/runtime/order_key.h"

namespace troupe {

/// A delivery that waits for its time.
struct PendingEvent {
  Address to;
  Delivery delivery;
};

class EventQueue {
 public:
  void push(const OrderKey& key, PendingEvent event);
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  /// The smallest key. The queue must not be empty.
  [[nodiscard]] const OrderKey& next() const { return heap_.front().key; }
  /// Removes and returns the event with the smallest key. The queue must not be empty.
  PendingEvent pop();

 private:
  struct Entry {
    OrderKey key;
    std::uint32_t slot;
  };

  void sift_up(std::size_t position);
  void sift_down(std::size_t position);

  std::vector<Entry> heap_;
  std::vector<PendingEvent> slots_;
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace troupe
