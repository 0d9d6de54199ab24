// Faults of the program's own processes.
//
// Live they are real: the launcher signals a worker, or its disk has no room. In virtual time a
// process is no part of the cluster and where a host runs may change nothing, so a set of hosts
// that the fault names crashes instead, as it would on a worker that dies.
#include "emulator/config/fault_actions.h"
#include "messages/fault.pb.h"

namespace troupe::config {
namespace {

/// What a successor of a killed worker takes until its hosts begin again, in virtual time: a
/// process starts and opens its files within a second.
constexpr Duration kSuccessor = std::chrono::seconds(1);

FaultAction befall(fault::BefallProcess::Effect effect, const Fault& fault,
                   const Fault::Process& spec, const FaultSetting& setting) {
  const FaultTarget& target = fault.target();
  FaultAction action;
  action.hosts = {spec.hosts().begin(), spec.hosts().end()};
  if (target.process().empty() == action.hosts.empty()) {
    setting.problems.add(setting.path,
                         "expected whom: `hosts: [...]` in it, or `target: {process: ...}`");
    return {};
  }
  if (!setting.live) {
    if (!target.process().empty()) {
      setting.problems.add(
          setting.path,
          "a process can be befallen in a live run alone (`--live`), since no result in virtual "
          "time "
          "depends on where hosts run: expected `hosts: [...]`, which crash instead");
      return {};
    }
    fault::CrashHost crash;
    const bool is_kill = effect == fault::BefallProcess::KILL;
    crash.set_restarts(is_kill || setting.length.count() > 0);
    crash.set_restart_after_ns(is_kill ? kSuccessor.count() : setting.length.count());
    action.begin = Payload::of(std::move(crash));
    return action;
  }
  fault::BefallProcess befall;
  befall.set_effect(effect);
  befall.set_id(setting.id);
  befall.set_process(target.process());
  befall.set_probability_ppm(setting.probability_ppm);
  action.begin = Payload::of(befall);
  if (effect != fault::BefallProcess::KILL) {
    befall.set_heal(true);
    action.end = Payload::of(std::move(befall));
  }
  return action;
}

}  // namespace

FaultAction make_process_kill(const Fault& fault, const FaultSetting& setting) {
  return befall(fault::BefallProcess::KILL, fault, fault.process_kill(), setting);
}

FaultAction make_process_pause(const Fault& fault, const FaultSetting& setting) {
  return befall(fault::BefallProcess::PAUSE, fault, fault.process_pause(), setting);
}

FaultAction make_disk_fill(const Fault& fault, const FaultSetting& setting) {
  return befall(fault::BefallProcess::FILL_DISK, fault, fault.disk_fill(), setting);
}

}  // namespace troupe::config
