#include <chrono>
#include <cstdint>
#include <string>

#include <simgrid/s4u.hpp>

#include "benchmarks/ring.h"

namespace troupe::bench {
namespace {

namespace sg = simgrid::s4u;

// Passes on `share` messages, then ends.
void member(int index, int members, std::uint64_t share) {
  sg::Mailbox* own = sg::Mailbox::by_name(std::to_string(index));
  sg::Mailbox* next = sg::Mailbox::by_name(std::to_string((index + 1) % members));
  static int token = 0;
  next->put_init(&token, 64)->detach();
  for (std::uint64_t i = 0; i < share; ++i) {
    own->get<int>();
    if (i + 1 < share) next->put_init(&token, 64)->detach();
  }
}

sg::Engine& engine() {
  static int argc = 3;
  static char name[] = "ring";
  static char quiet[] = "--log=root.thresh:error";
  static char stack[] = "--cfg=contexts/stack-size:64";
  static char* argv[] = {name, quiet, stack, nullptr};
  static sg::Engine instance(&argc, argv);
  return instance;
}

}  // namespace

RingResult ring_simgrid(int actors, std::uint64_t messages) {
  static int zones = 0;
  sg::Engine& simulation = engine();
  static sg::NetZone* root = sg::create_full_zone("root");
  sg::Host* host = root->create_host("host" + std::to_string(zones), "1Gf");
  const sg::Link* link =
      root->create_link("link" + std::to_string(zones), "1GBps")->set_latency("600us")->seal();
  ++zones;
  root->add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr,
                  {sg::LinkInRoute(link)});
  const std::uint64_t share = messages / static_cast<std::uint64_t>(actors);
  for (int i = 0; i < actors; ++i) {
    sg::Actor::create("member" + std::to_string(i), host, member, i, actors, share);
  }
  const auto begin = std::chrono::steady_clock::now();
  simulation.run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {share * static_cast<std::uint64_t>(actors), took.count()};
}

}  // namespace troupe::bench
