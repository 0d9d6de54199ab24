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
#include "messages/k8s/core.pb.h"
#include "messages/k8s/pod.pb.h"
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

bool is_of(const fault::LinkRule& rule, const FaultView& fault) {
  // One that an order opened is told of without its ends.
  return rule.kind() == fault.kind && fault.target == "network" &&
         (fault.detail.empty() ? rule.begin_ns().empty() : rule.between() == fault.detail);
}

// The end of a fault of the network that was given by hand. What the scenario planned ends as it
// says there: its messages are on their way to that moment already.
std::optional<Act> end_of_rule(const ActContext& context, const FaultView& fault) {
  const std::int64_t effect = to_ns(effect_time(context.run.now));
  for (auto command = context.done.rbegin(); command != context.done.rend(); ++command) {
    for (const fault::LinkRule& rule : command->rules().links()) {
      if (!is_of(rule, fault)) continue;
      Act act;
      act.command.mutable_rules()->add_ended(rule.number());
      plan::FaultPlan& healed = *act.command.add_faults();
      healed.set_at_ns(effect);
      healed.set_kind(rule.kind());
      healed.set_target(fault.target);
      healed.set_detail(fault.detail);
      healed.set_heals(true);
      return act;
    }
  }
  return std::nullopt;
}

// The director's orders say how what they begin is ended, to a pod by its node.
std::vector<plan::FaultPlan> heals_of_ordered(const ActContext& context, const FaultView& fault) {
  std::vector<plan::FaultPlan> heals;
  for (const journal::Command& command : context.done) {
    if (!command.has_work()) continue;
    const Result<Payload> work = from_envelope(command.work());
    const auto* plan = work ? work->as<director::Plan>() : nullptr;
    if (plan == nullptr) continue;
    for (const fault::Order& order : plan->faults()) {
      if (order.kind() != fault.kind || !order.has_end()) continue;
      const Result<Payload> end = from_envelope(order.end());
      if (!end) continue;
      if (!fault.target.starts_with("pod ")) return {message_plan(fault.kind, fault.target, *end)};
      const Payload* pod = context.run.view.find("Pod", fault.target.substr(4));
      if (pod == nullptr) continue;
      fault::ForPod wrapped;
      wrapped.set_uid(pod->as<k8s::Pod>()->metadata().uid());
      plan::FaultPlan heal =
          message_plan(fault.kind, "node/" + pod->as<k8s::Pod>()->spec().node_name(),
                       Payload::of(std::move(wrapped), {*end}));
      heal.set_named(fault.target);
      return {heal};
    }
  }
  return heals;
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
  if (auto heals = heals_of_ordered(context, fault); !heals.empty()) return heals;
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
    const auto is_it = [&fault](const auto& one) { return is_of(one, *fault); };
    if (!fault->healed && (std::ranges::any_of(typed->faults, is_it) ||
                           std::ranges::any_of(typed->rules.links(), is_it))) {
      return &*fault;
    }
  }
  return no(refused("no such fault is there: see `get faults`"));
}

std::string moment_text(std::int64_t at_ns) {
  return " at " + seconds_text(at_ns / 1'000'000 * 1'000'000) + "\n";
}

// How often it comes, from the first on.
template <class Moments>
std::string moments_text(const Moments& moments) {
  if (moments.empty()) return " never: no moment was drawn before the run ends\n";
  const std::string first = moment_text(moments[0]);
  if (moments.size() == 1) return first;
  return " " + std::to_string(moments.size()) + " times, first" + first;
}

std::string condition_text(const fault::Condition& when) {
  std::string text = " on " + when.fact();
  for (const auto& match : when.match()) text += " " + match.field() + "=" + match.value();
  if (when.nth() > 1) text += ", the " + std::to_string(when.nth()) + "th";
  return text + (when.repeat() ? " and each after it\n" : "\n");
}

// What will come of it, in a line for each.
std::string announced(const config::TypedFault& typed) {
  std::string text;
  for (const plan::FaultPlan& fault : typed.faults) {
    text += fault.kind() + " " + fault.target() + (fault.heals() ? " heals" : "") +
            moment_text(fault.at_ns());
  }
  for (const fault::LinkRule& rule : typed.rules.links()) {
    if (rule.begin_ns().empty()) continue;  // an order opens it
    text += rule.kind() + " " + rule.between() + moments_text(rule.begin_ns());
  }
  for (const fault::Order& order : typed.orders) {
    text += order.kind() +
            (order.has_when() ? condition_text(order.when()) : moments_text(order.at_ns()));
  }
  return text.empty() ? "by chance nobody is hit\n" : text;
}

}  // namespace

ActResult inject(const ActContext& context, const std::vector<std::string>& words) {
  if (words.empty()) return no(bad_usage(kInjectUsage));
  const Result<config::TypedFault> typed = config::read_fault(
      words, context.fault_plan, effect_time(context.run.now), context.run.now, context.number);
  if (!typed) return no(bad_usage(typed.error().message));
  Act act;
  for (const plan::FaultPlan& fault : typed->faults) *act.command.add_faults() = fault;
  act.command.add_scenario_faults(typed->entry);
  if (typed->rules.ByteSizeLong() != 0) {
    *act.command.mutable_rules() = typed->rules;
    act.command.mutable_rules()->set_director(kConsoleDirector);
  }
  if (!typed->orders.empty()) {
    director::Plan work;
    work.mutable_faults()->Add(typed->orders.begin(), typed->orders.end());
    *act.command.mutable_work() = to_envelope(Payload::of(std::move(work)));
  }
  act.text = announced(*typed);
  return act;
}

ActResult heal(const ActContext& context, const std::vector<std::string>& words) {
  const auto fault = meant(context, words);
  if (!fault) return no(fault.error());
  if ((*fault)->healed) return no(refused("that fault is healed already"));
  const std::string said = (*fault)->kind + " " +
                           ((*fault)->detail.empty() ? (*fault)->target : (*fault)->detail) +
                           " healed\n";
  if (std::optional<Act> end = end_of_rule(context, **fault)) {
    end->text = said;
    return *std::move(end);
  }
  std::vector<plan::FaultPlan> heals = heals_of(context, **fault);
  if (heals.empty()) return no(refused("a fault of kind " + (*fault)->kind + " cannot be healed"));
  Act act;
  for (plan::FaultPlan& one : heals) {
    one.set_at_ns(to_ns(effect_time(context.run.now)));
    *act.command.add_faults() = std::move(one);
  }
  act.text = said;
  return act;
}

}  // namespace troupe::console
