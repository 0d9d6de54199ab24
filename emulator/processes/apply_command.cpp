#include "emulator/processes/apply_command.h"

#include "messages/assert.h"
#include "messages/director.pb.h"
#include "messages/envelope.h"
#include "messages/facts.pb.h"
#include "messages/fault.pb.h"
#include "messages/runtime.pb.h"

namespace troupe {
namespace {

Payload unpack(const runtime::Envelope& envelope) {
  Result<Payload> payload = from_envelope(envelope);
  TROUPE_ASSERT(payload.has_value(),
                "a command holds what it was made of: " + payload.error().message);
  return *std::move(payload);
}

template <class Fact>
Payload fact_about(const plan::FaultPlan& fault) {
  Fact fact;
  fact.set_kind(fault.kind());
  fact.set_target(fault.named().empty() ? fault.target() : fault.named());
  fact.set_detail(fault.detail());
  return Payload::of(std::move(fact));
}

void start_director(SimTime at, Timeline& timeline) {
  runtime::HostStart start;
  start.set_kind("director");
  start.set_path(kConsoleDirector);
  timeline.start_host(kConsoleDirector,
                      Payload::of(std::move(start), {Payload::of(director::Plan{})}), at);
}

}  // namespace

void apply_link_rule(const fault::LinkRule& rule, Timeline& timeline) {
  plan::FaultPlan fault;
  fault.set_kind(rule.kind());
  fault.set_target("network");
  fault.set_detail(rule.between());
  for (int i = 0; i < rule.begin_ns_size(); ++i) {
    timeline.record_at(from_ns(rule.begin_ns(i)), fact_about<facts::FaultInjected>(fault));
    const SimTime end = from_ns(rule.end_ns(i));
    if (end == SimTime::max()) continue;
    if (rule.by_hand()) {
      fault::TakeRules over;
      over.add_passed(rule.number());
      timeline.inject({}, Payload::of(std::move(over)), end);
    }
    timeline.record_at(end, fact_about<facts::FaultHealed>(fault));
  }
}

void apply_fault(const plan::FaultPlan& fault, Timeline& timeline) {
  const SimTime at = from_ns(fault.at_ns());
  if (fault.has_message()) {
    const Payload what = unpack(fault.message());
    timeline.inject(address_of(fault.target()), what, at);
    if (what.as<fault::BefallProcess>() != nullptr) return;  // the launcher says whom it hit
  } else if (!fault.heals()) {
    std::optional<Duration> restart;
    if (fault.restarts()) restart = Duration(fault.restart_after_ns());
    timeline.crash_host(fault.target(), at, restart);
  }
  timeline.record_at(at, fault.heals() ? fact_about<facts::FaultHealed>(fault)
                                       : fact_about<facts::FaultInjected>(fault));
}

void apply_command(const journal::Command& command, Timeline& timeline) {
  const SimTime at = from_ns(command.at_ns());
  TROUPE_ASSERT(timeline.now() == at, "a command is done when the run stands at its stamp");
  for (const plan::FaultPlan& fault : command.faults()) apply_fault(fault, timeline);
  if (command.has_rules()) {
    timeline.inject({}, Payload::of(command.rules()), effect_time(at));
    for (const fault::LinkRule& rule : command.rules().links()) apply_link_rule(rule, timeline);
  }
  if (!command.has_work()) return;
  if (command.starts_director()) start_director(effect_time(at), timeline);
  timeline.inject(address_of(kConsoleDirector), unpack(command.work()), effect_time(at));
}

}  // namespace troupe
