#include "emulator/processes/load_plan.h"

#include "emulator/processes/apply_command.h"
#include "messages/assert.h"
#include "messages/envelope.h"
#include "messages/facts.pb.h"
#include "messages/runtime.pb.h"

namespace troupe {
namespace {

Payload unpack(const runtime::Envelope& envelope) {
  Result<Payload> payload = from_envelope(envelope);
  TROUPE_ASSERT(payload.has_value(),
                "a plan holds what it was made of: " + payload.error().message);
  return *std::move(payload);
}

void start_hosts(const plan::RunPlan& plan, Timeline& timeline) {
  for (const plan::HostPlan& host : plan.hosts()) {
    runtime::HostStart start;
    start.set_kind(host.kind());
    start.set_path(host.path());
    std::vector<Payload> attachments;
    for (const runtime::Envelope& attachment : host.attachments()) {
      attachments.push_back(unpack(attachment));
    }
    timeline.start_host(host.path(), Payload::of(std::move(start), std::move(attachments)),
                        from_ns(host.start_ns()));
  }
}

}  // namespace

void load_plan(const plan::RunPlan& plan, Timeline& timeline) {
  start_hosts(plan, timeline);
  for (const plan::FaultPlan& fault : plan.faults()) apply_fault(fault, timeline);
  for (const fault::LinkRule& rule : plan.links()) apply_link_rule(rule, timeline);
}

FaultOptions faults_of(const plan::RunPlan& plan) {
  FaultOptions faults;
  faults.link_rules.assign(plan.links().begin(), plan.links().end());
  for (const plan::HostPlan& host : plan.hosts()) {
    faults.listed_hosts.insert(address_of(host.path()).host);
  }
  if (plan.watched_facts().empty()) return faults;
  FaultOptions::Ear& ear = faults.ears.emplace_back();
  ear.director = address_of("controller/director/0");
  for (const std::string& name : plan.watched_facts()) ear.facts.insert(kind_of_fact(name));
  return faults;
}

LatencyModel::PerLink latencies_of(const plan::RunPlan& plan) {
  LatencyModel::PerLink latencies = LatencyModel::defaults();
  for (int i = 0; i < plan.latencies_size(); ++i) {
    latencies.at(static_cast<std::size_t>(i)) = plan.latencies(i);
  }
  return latencies;
}

}  // namespace troupe
