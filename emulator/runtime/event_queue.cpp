#include "emulator/runtime/event_queue.h"

#include <utility>

#include "messages/assert.h"

namespace troupe {
namespace {

constexpr std::size_t kArity = 4;

}  // namespace

void EventQueue::push(const OrderKey& key, PendingEvent event) {
  std::uint32_t slot;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back({key, std::move(event)});
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    slots_[slot] = {key, std::move(event)};
  }
  heap_.push_back({key.time, slot});
  sift_up(heap_.size() - 1);
}

PendingEvent EventQueue::pop() {
  TROUPE_ASSERT(!heap_.empty(), "pop from an empty event queue");
  const std::uint32_t slot = heap_.front().slot;
  PendingEvent event = std::move(slots_[slot].event);
  free_slots_.push_back(slot);
  heap_.front() = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0);
  return event;
}

void EventQueue::sift_up(std::size_t position) {
  const Entry entry = heap_[position];
  while (position > 0) {
    const std::size_t parent = (position - 1) / kArity;
    if (before(heap_[parent], entry)) break;
    heap_[position] = heap_[parent];
    position = parent;
  }
  heap_[position] = entry;
}

void EventQueue::sift_down(std::size_t position) {
  const Entry entry = heap_[position];
  const std::size_t size = heap_.size();
  while (true) {
    const std::size_t first = position * kArity + 1;
    if (first >= size) break;
    const std::size_t last = std::min(first + kArity, size);
    std::size_t smallest = first;
    for (std::size_t child = first + 1; child < last; ++child) {
      if (before(heap_[child], heap_[smallest])) smallest = child;
    }
    if (before(entry, heap_[smallest])) break;
    heap_[position] = heap_[smallest];
    position = smallest;
  }
  heap_[position] = entry;
}

}  // namespace troupe
