#include "emulator/runtime/placement.h"

#include <gtest/gtest.h>

#include <set>

#include "emulator/runtime/lookahead.h"
#include "messages/address.h"

namespace troupe {
namespace {

std::uint64_t node(int i) {
  return host_hash("node/gpu-" + std::to_string(i));
}

plan::RunPlan plan_of(std::initializer_list<const char*> hosts) {
  plan::RunPlan plan;
  for (const char* host : hosts) plan.add_hosts()->set_path(host);
  return plan;
}

TEST(Placement, SpreadsHostsOverAllProcesses) {
  const Placement placement({}, 4);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(placement.process_of(node(i)));
  EXPECT_EQ(seen, (std::set<std::uint32_t>{0, 1, 2, 3}));
}

TEST(Placement, KeepsKindsTogetherAndPinsApart) {
  plan::PlacementPlan plan;
  plan.add_together("node");
  auto& pin = *plan.add_pins();
  pin.set_host("node/gpu-7");
  pin.set_process(5);
  const Placement placement(plan, 4);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(placement.process_of(node(i)), i == 7 ? 1u : 0u);
}

TEST(Placement, AShuffleSpreadsAnew) {
  plan::PlacementPlan plan;
  plan.add_together("node");
  plan.set_shuffle(1);
  const Placement one(plan, 4);
  plan.set_shuffle(2);
  const Placement two(plan, 4);
  int moved = 0;
  for (int i = 0; i < 100; ++i) moved += one.process_of(node(i)) != two.process_of(node(i)) ? 1 : 0;
  EXPECT_GT(moved, 50);
}

TEST(Placement, AHostsHashSaysItsKind) {
  EXPECT_EQ(host_kind(address_of("node/a/gpu/3").host), host_kind("node"));
  EXPECT_NE(host_kind(address_of("apiserver/0").host), host_kind("node"));
}

TEST(Lookahead, IsTheSmallestLatencyThatMayCross) {
  const LatencyModel latencies(1);
  // The data plane, which is the shortest, has no two ends here.
  const plan::RunPlan plan = plan_of({"apiserver/0", "node/a", "node/b", "controller/x/0"});
  plan::PlacementPlan together;
  for (const char* kind : {"load", "router", "node"}) together.add_together(kind);
  EXPECT_EQ(lookahead(plan, Placement({}, 1), latencies), std::nullopt);
  plan::PlacementPlan apart = together;
  auto& pin = *apart.add_pins();
  pin.set_host("controller/x/0");
  pin.set_process(1);
  auto& server = *apart.add_pins();
  server.set_host("apiserver/0");
  EXPECT_EQ(lookahead(plan, Placement(apart, 2), latencies), latencies.minimum(Link::Api));
}

TEST(Lookahead, CountsNodesThatMayStillCome) {
  const LatencyModel latencies(1);
  const plan::RunPlan plan = plan_of({"apiserver/0", "cloud/0", "load/chat", "router/default/web"});
  plan::PlacementPlan pins;
  for (const auto& host : plan.hosts()) pins.add_pins()->set_host(host.path());
  EXPECT_EQ(lookahead(plan, Placement(pins, 2), latencies), latencies.minimum(Link::DataPlane))
      << "a node may be launched in the other process";
  pins.add_together("node");
  EXPECT_EQ(lookahead(plan, Placement(pins, 2), latencies), std::nullopt);
}

}  // namespace
}  // namespace troupe
