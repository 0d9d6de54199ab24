// inject and heal: a fault by hand, in the words of a scenario.
#include <algorithm>
#include <charconv>
#include <iterator>

#include "emulator/config/fault_text.h"
#include "emulator/console/act_commands.h"
#include "emulator/processes/apply_command.h"
#include "messages/cloud.pb.h"
#include "messages/envelope.h"
#include "messages/fault.pb.h"
#include "messages/hosts.pb.h"
#include "messages/runtime.pb.h"
#include "messages/workload.pb.h"

namespace troupe::console {
namespace {

tl::unexpected<Answer> no(Answer why) {
  return tl::unexpected<Answer>(std::move(why));
}

constexpr const char* kInjectUsage =
    "usage: inject KIND FIELD=VALUE..., or inject KIND '{FIELD: VALUE, ...}'; `help inject` lists "
    "the kinds";
constexpr const char* kHealUsage =
    "usage: heal NUMBER (of `get faults`), or heal KIND FIELD=VALUE... as it was injected";

plan::FaultPlan message_plan(const std::string& kind, const std::string& target, Payload message) {
  plan::FaultPlan fault;
  fault.set_heals(true);
  fault.set_kind(kind);
  fault.set_target(target);
  *fault.mutable_message() = to_envelope(message);
  return fault;
}

// What the fault was planned as: by hand, or in the scenario.
const plan::FaultPlan* planned(const ActContext& context, const FaultView& fault) {
  const auto is_it = [&fault](const plan::FaultPlan& one) {
    return one.kind() == fault.kind && one.target() == fault.target &&
           one.at_ns() == to_ns(fault.at);
  };
  for (const journal::Command& command : context.done) {
    for (const plan::FaultPlan& one : command.faults()) {
      if (is_it(one)) return &one;
    }
  }
  for (const plan::FaultPlan& one : context.run.plan.faults()) {
    if (is_it(one)) return &one;
  }
  return nullptr;
}

// The pools that a fault changed, back to what the catalogue says.
std::vector<plan::FaultPlan> restored_pools(const ActContext& context, const FaultView& fault) {
  std::vector<plan::FaultPlan> heals;
  const plan::FaultPlan* was = planned(context, fault);
  if (was == nullptr) return heals;
  const Result<Payload> payload = from_envelope(was->message());
  const auto* change = payload ? payload->as<cloud::SetPoolCapacity>() : nullptr;
  if (change == nullptr) return heals;
  for (const plan::HostPlan& host : context.fault_plan.hosts()) {
    if (host.kind() != "cloud") continue;
    const Result<Payload> config = from_envelope(host.attachments(0));
    for (const hosts::InstanceType& type : config->as<hosts::CloudConfig>()->instance_types()) {
      if (type.name() != change->instance_type()) continue;
      for (const hosts::InstanceType::Offering& pool : type.offerings()) {
        if (!change->zone().empty() && change->zone() != pool.zone()) continue;
        if (!change->capacity_type().empty() && change->capacity_type() != pool.capacity_type())
          continue;
        cloud::SetPoolCapacity back;
        back.set_instance_type(type.name());
        back.set_zone(pool.zone());
        back.set_capacity_type(pool.capacity_type());
        back.set_capacity(pool.capacity());
        heals.push_back(message_plan("poolCapacity", fault.target, Payload::of(std::move(back))));
      }
    }
  }
  return heals;
}

bool is_of(const plan::FaultPlan& one, const FaultView& fault) {
  return one.kind() == fault.kind && one.target() == fault.target;
}

// What heals a fault that was typed, as its kind says.
std::vector<plan::FaultPlan> heals_of_typed(const ActContext& context, const FaultView& fault) {
  std::vector<plan::FaultPlan> heals;
  for (const journal::Command& command : context.done) {
    const bool is_it = std::ranges::any_of(command.faults(), [&fault](const plan::FaultPlan& one) {
      return is_of(one, fault) && one.at_ns() == to_ns(fault.at);
    });
    if (!is_it || command.scenario_faults().empty()) continue;
    const SimTime at = from_ns(command.at_ns());
    const Result<config::TypedFault> typed = config::read_fault(
        {command.scenario_faults(0)}, context.fault_plan, at, at, command.number());
    if (!typed) continue;
    std::ranges::copy_if(typed->heals, std::back_inserter(heals),
                         [&fault](const plan::FaultPlan& one) { return is_of(one, fault); });
  }
  return heals;
}

// Of one process, whatever fault chose it.
plan::FaultPlan healed_process(const FaultView& fault) {
  fault::BefallProcess heal;
  heal.set_effect(fault.kind == "diskFill" ? fault::BefallProcess::FILL_DISK
                                           : fault::BefallProcess::PAUSE);
  heal.set_heal(true);
  heal.set_process(fault.target.substr(fault.target.find('/') + 1));
  return message_plan(fault.kind, fault.target, Payload::of(std::move(heal)));
}

std::vector<plan::FaultPlan> heals_of(const ActContext& context, const FaultView& fault) {
  if (auto heals = heals_of_typed(context, fault); !heals.empty()) return heals;
  // Of the scenario: it may say itself how this one ends.
  for (const plan::FaultPlan& one : context.run.plan.faults()) {
    if (one.heals() && is_of(one, fault)) return {one};
  }
  if (fault.kind == "gpu") {
    return {message_plan("gpu", fault.target, Payload::of(workload::RepairGpu{}))};
  }
  if (fault.kind == "crash" || fault.kind.starts_with("node")) {
    return {message_plan(fault.kind, fault.target, Payload::of(runtime::HostRestart{}))};
  }
  if (fault.kind == "poolCapacity") return restored_pools(context, fault);
  if (fault.kind == "processPause" || fault.kind == "diskFill") return {healed_process(fault)};
  return {};
}

// The fault that the words mean, the last first.
tl::expected<const FaultView*, Answer> meant(const ActContext& context,
                                             const std::vector<std::string>& words) {
  const std::vector<FaultView>& faults = context.run.view.faults();
  if (words.empty()) return no(bad_usage(kHealUsage));
  std::size_t number = 0;
  const std::string& word = words.front();
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc() && end == word.data() + word.size()) {
    if (number == 0 || number > faults.size()) return no(refused("no fault " + word));
    return &faults[number - 1];
  }
  const Result<config::TypedFault> typed = config::read_fault(
      words, context.fault_plan, effect_time(context.run.now), context.run.now, context.number);
  if (!typed) return no(bad_usage(typed.error().message + "\n" + kHealUsage));
  for (auto fault = faults.rbegin(); fault != faults.rend(); ++fault) {
    const plan::FaultPlan& wanted = typed->faults.front();
    if (!fault->healed && fault->kind == wanted.kind() && fault->target == wanted.target()) {
      return &*fault;
    }
  }
  return no(refused("no such fault is there: see `get faults`"));
}

}  // namespace

ActResult inject(const ActContext& context, const std::vector<std::string>& words) {
  if (words.empty()) return no(bad_usage(kInjectUsage));
  const Result<config::TypedFault> typed = config::read_fault(
      words, context.fault_plan, effect_time(context.run.now), context.run.now, context.number);
  if (!typed) return no(bad_usage(typed.error().message));
  Act act;
  for (const plan::FaultPlan& fault : typed->faults) {
    *act.command.add_faults() = fault;
    act.text += fault.kind() + " " + fault.target() + " at " +
                seconds_text(fault.at_ns() / 1'000'000 * 1'000'000) + "\n";
  }
  act.command.add_scenario_faults(typed->entry);
  return act;
}

ActResult heal(const ActContext& context, const std::vector<std::string>& words) {
  const auto fault = meant(context, words);
  if (!fault) return no(fault.error());
  if ((*fault)->healed) return no(refused("that fault is healed already"));
  std::vector<plan::FaultPlan> heals = heals_of(context, **fault);
  if (heals.empty()) return no(refused("a fault of kind " + (*fault)->kind + " cannot be healed"));
  Act act;
  for (plan::FaultPlan& one : heals) {
    one.set_at_ns(to_ns(effect_time(context.run.now)));
    *act.command.add_faults() = std::move(one);
  }
  act.text = (*fault)->kind + " " + (*fault)->target + " healed\n";
  return act;
}

}  // namespace troupe::console
