#include <chrono>
#include <string>

#include "actors/context.h"
#include "benchmarks/ring.h"
#include "emulator/runtime/virtual_runtime.h"
#include "messages/facts.pb.h"
#include "messages/runtime.pb.h"

namespace troupe::bench {
namespace {

std::string path_of(int index) {
  return "node/" + std::to_string(index);
}

class Member final : public Actor {
 public:
  explicit Member(Address next) : next_(next) {}

  void start(Context& context) override { pass(context, 0); }
  void receive(Context& context, const Delivery& delivery) override {
    pass(context, delivery.as<facts::GpuAllocatable>()->gpu() + 1);
  }

 private:
  void pass(Context& context, std::uint32_t hops) {
    facts::GpuAllocatable token;
    token.set_gpu(hops);
    context.send(next_, Payload::of(std::move(token)), {.link = Link::DataPlane});
  }

  Address next_;
};

}  // namespace

RingResult ring_troupe(int actors, std::uint64_t messages) {
  HostRegistry registry;
  for (int i = 0; i < actors; ++i) {
    const Address next = address_of(path_of((i + 1) % actors));
    registry.add(path_of(i), [next](const Payload&) { return std::make_unique<Member>(next); });
  }
  VirtualRuntime runtime({.seed = 1}, registry);
  for (int i = 0; i < actors; ++i) {
    runtime::HostStart start;
    start.set_kind(path_of(i));
    start.set_path(path_of(i));
    runtime.start_host(path_of(i), Payload::of(std::move(start)));
  }
  runtime.run_until(kTimeZero);  // births are not what is measured
  const std::uint64_t before = runtime.delivered();
  const auto begin = std::chrono::steady_clock::now();
  SimTime end = kTimeZero;
  while (runtime.delivered() - before < messages) {
    end += std::chrono::milliseconds(1);
    runtime.run_until(end);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {runtime.delivered() - before, took.count()};
}

}  // namespace troupe::bench
