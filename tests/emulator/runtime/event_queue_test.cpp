#include "emulator/runtime/event_queue.h"

#include <gtest/gtest.h>

#include "messages/hash.h"

namespace troupe {
namespace {

TEST(EventQueue, GivesKeysInTheirTotalOrderWhateverTheOrderOfPushing) {
  EventQueue queue;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::uint64_t draw = mix(7, i);
    queue.push({from_ns(static_cast<std::int64_t>(draw % 97)), static_cast<std::uint32_t>(draw % 3),
                static_cast<EventClass>(draw % 3), draw % 2, draw % 11, i},
               {});
  }
  OrderKey last = queue.next();
  while (!queue.empty()) {
    EXPECT_LE(last, queue.next());
    last = queue.next();
    queue.pop();
  }
}

TEST(EventQueue, PutsFaultsBeforeMessagesBeforeTimersAtOneTimeAndStep) {
  EventQueue queue;
  const SimTime t = from_ns(5);
  queue.push({t, 0, EventClass::Timer, 0, 0, 0}, {});
  queue.push({t, 0, EventClass::Network, 0, 9, 9}, {});
  queue.push({t, 0, EventClass::Fault, 0, 5, 5}, {});
  EXPECT_EQ(queue.next().event_class, EventClass::Fault);
  queue.pop();
  EXPECT_EQ(queue.next().event_class, EventClass::Network);
  queue.pop();
  EXPECT_EQ(queue.next().event_class, EventClass::Timer);
}

TEST(EventQueue, ReusesTheSlotsOfEventsThatLeft) {
  EventQueue queue;
  for (int round = 0; round < 100; ++round) {
    PendingEvent event;
    event.delivery.stream = static_cast<std::uint64_t>(round);
    queue.push({from_ns(round), 0, EventClass::Network, 0, 0, 0}, std::move(event));
    EXPECT_EQ(queue.pop().delivery.stream, static_cast<std::uint64_t>(round));
  }
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace troupe
