#include <chrono>
#include <cstdint>
#include <queue>
#include <vector>

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "benchmarks/ring.h"

namespace troupe::bench {
namespace {

struct Event {
  std::int64_t time;
  std::uint64_t sequence;
  std::size_t receiver;
  bool operator>(const Event& other) const {
    return time != other.time ? time > other.time : sequence > other.sequence;
  }
};

using Queue = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

struct Loop {
  Queue queue;
  std::int64_t now = 0;
  std::uint64_t sequence = 0;
  std::size_t members = 0;

  // A cheap spread of latencies, so that the heap works as hard as with drawn ones.
  void pass(std::size_t from) {
    const auto spread = static_cast<std::int64_t>((++sequence * 0x9e3779b97f4a7c15ULL) >> 44);
    queue.push({now + 200'000 + spread, sequence, (from + 1) % members});
  }
};

}  // namespace

RingResult ring_bare(int actors, std::uint64_t messages) {
  caf::actor_system_config config;
  config.set("scheduler.policy", caf::atom("testing"));
  caf::actor_system system{config};
  auto& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  Loop loop;
  loop.members = static_cast<std::size_t>(actors);
  std::vector<caf::actor> ring;
  for (std::size_t i = 0; i < loop.members; ++i) {
    ring.push_back(system.spawn([&loop, i](caf::event_based_actor*) -> caf::behavior {
      return {[&loop, i](std::uint64_t) { loop.pass(i); }};
    }));
  }
  scheduler.run();
  for (std::size_t i = 0; i < loop.members; ++i) loop.pass(i);

  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < messages; ++i) {
    const Event event = loop.queue.top();
    loop.queue.pop();
    loop.now = event.time;
    caf::anon_send(ring[event.receiver], event.sequence);
    scheduler.run();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  for (auto& member : ring) caf::anon_send_exit(member, caf::exit_reason::user_shutdown);
  scheduler.run();
  return {messages, took.count()};
}

}  // namespace troupe::bench
