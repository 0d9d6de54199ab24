#include "emulator/processes/process_faults.h"

#include <algorithm>
#include <csignal>

#include "actors/director/fault_choice.h"
#include "messages/facts.pb.h"
#include "messages/glob.h"
#include "messages/hash.h"

namespace troupe {
namespace {

using fault::BefallProcess;

constexpr std::uint64_t kCertainPpm = 1'000'000;

/// As scenarios call it.
std::string kind_of(BefallProcess::Effect effect) {
  switch (effect) {
    case BefallProcess::KILL:
      return "processKill";
    case BefallProcess::PAUSE:
      return "processPause";
    default:
      return "diskFill";
  }
}

template <class Fact>
Payload fact_of(BefallProcess::Effect effect, std::uint32_t process) {
  Fact fact;
  fact.set_kind(kind_of(effect));
  fact.set_target("process/" + std::to_string(process));
  return Payload::of(std::move(fact));
}

}  // namespace

ProcessFaults::ProcessFaults(Crew& crew, Placement placement, std::uint64_t seed,
                             std::function<void(Payload)> tell)
    : crew_(crew), placement_(std::move(placement)), seed_(seed), tell_(std::move(tell)) {}

std::optional<SimTime> ProcessFaults::next() const {
  if (due_.empty()) return std::nullopt;
  return due_.begin()->first;
}

void ProcessFaults::act(SimTime now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const BefallProcess fault = due_.extract(due_.begin()).mapped();
    fault.heal() ? heal(fault) : befall(fault);
  }
}

bool ProcessFaults::is_meant(const BefallProcess& fault, std::uint32_t process) const {
  if (!fault.process().empty()) return matches_glob(fault.process(), std::to_string(process));
  return std::ranges::any_of(fault.hosts(), [&](const std::string& host) {
    return placement_.process_of(host_hash(host)) == process;
  });
}

// A signal reaches only what was started here; a worker that is away has nothing to lose.
void ProcessFaults::befall(const BefallProcess& fault) {
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t process = 0; process < crew_.size(); ++process) {
    const bool reachable =
        fault.effect() == BefallProcess::FILL_DISK || crew_.started_here(process);
    if (reachable && is_meant(fault, process)) candidates.push_back(process);
  }
  if (candidates.empty()) {
    crew_.tell(kind_of(fault.effect()) + ": no worker that was started here is meant by it");
  }
  ++befallen_;
  fault::Target target;
  target.set_mode(fault.mode());
  target.set_count(fault.count());
  for (const std::size_t index : director::choose(candidates.size(), target,
                                                  [this](std::uint64_t i) { return draw(1, i); })) {
    if (!bernoulli(draw(2, index), fault.probability_ppm(), kCertainPpm)) continue;
    if (fault.effect() != BefallProcess::KILL) {
      held_[{fault.effect(), candidates[index]}] = fault.id();
    }
    begin(fault.effect(), candidates[index]);
  }
}

void ProcessFaults::begin(BefallProcess::Effect effect, std::uint32_t process) {
  tell_(fact_of<facts::FaultInjected>(effect, process));
  crew_.tell(kind_of(effect) + " of " + crew_.name(process));
  if (effect == BefallProcess::KILL) crew_.signal(process, SIGKILL);
  if (effect == BefallProcess::PAUSE) crew_.signal(process, SIGSTOP);
  if (effect == BefallProcess::FILL_DISK) crew_.fill_disk(process, true);
}

// Where it befell the same one once more, it heals with the last.
void ProcessFaults::heal(const BefallProcess& fault) {
  std::vector<Held> healed;
  for (const auto& [held, by] : held_) {
    const bool is_its = fault.id() == 0 ? is_meant(fault, held.second) : by == fault.id();
    if (held.first == fault.effect() && is_its) healed.push_back(held);
  }
  for (const Held& held : healed) end(held);
}

void ProcessFaults::end(const Held& held) {
  const auto [effect, process] = held;
  held_.erase(held);
  tell_(fact_of<facts::FaultHealed>(effect, process));
  crew_.tell(kind_of(effect) + " of " + crew_.name(process) + " is over");
  if (effect == BefallProcess::PAUSE) crew_.signal(process, SIGCONT);
  if (effect == BefallProcess::FILL_DISK) crew_.fill_disk(process, false);
}

void ProcessFaults::forget_pause(std::uint32_t process) {
  if (held_.erase({BefallProcess::PAUSE, process}) == 0) return;
  tell_(fact_of<facts::FaultHealed>(BefallProcess::PAUSE, process));
}

void ProcessFaults::resume_all() {
  for (std::uint32_t process = 0; process < crew_.size(); ++process) {
    if (is_paused(process)) end({BefallProcess::PAUSE, process});
  }
}

bool ProcessFaults::is_paused(std::uint32_t process) const {
  return held_.contains({BefallProcess::PAUSE, process});
}

bool ProcessFaults::has_full_disk(std::uint32_t process) const {
  return held_.contains({BefallProcess::FILL_DISK, process});
}

std::uint64_t ProcessFaults::draw(std::uint64_t purpose, std::uint64_t index) const {
  return mix(seed_, hash_bytes("process fault"), befallen_, purpose, index);
}

}  // namespace troupe
