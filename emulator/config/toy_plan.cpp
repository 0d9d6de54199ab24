#include "emulator/config/toy_plan.h"

#include "actors/lessons/toy.h"
#include "emulator/config/host_plan.h"
#include "emulator/config/values.h"
#include "messages/lessons.pb.h"

namespace troupe::config {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The course's own numbers.
constexpr Duration kLoop = seconds(15);
constexpr Duration kPrefill = milliseconds(600);
constexpr Duration kDecode = milliseconds(1800);
constexpr Duration kNodeBoot = seconds(50);
constexpr Duration kModelLoad = seconds(45);
constexpr Duration kPatience = seconds(30);
constexpr Duration kLinger = seconds(60);
constexpr std::uint32_t kReplicasMax = 16;

}  // namespace

void plan_toy(const Inputs& inputs, plan::RunPlan& plan, Problems& problems) {
  const Toy& spec = inputs.scenario.toy();
  lessons::ToyConfig config;
  config.set_policy(spec.policy());
  config.set_service_tick_ns(duration_or(spec.service_tick(), kLoop).count());
  config.set_loop_ns(kLoop.count());
  config.set_prefill_ns(kPrefill.count());
  config.set_decode_ns(kDecode.count());
  config.set_node_boot_ns(kNodeBoot.count());
  config.set_model_load_ns(kModelLoad.count());
  config.set_patience_ns(kPatience.count());
  config.set_replicas_min(1);
  config.set_replicas_max(kReplicasMax);
  config.set_linger_ns(kLinger.count());
  config.set_service("lessons/toy");
  for (const std::int64_t arrival : inputs.toy_arrivals_ns) config.add_arrivals_ns(arrival);
  if (const auto problem = lessons::problem_of(config)) return problems.add("toy", *problem);
  add_host(plan, "lessons/toy", "toy", std::move(config));
}

}  // namespace troupe::config
