// Faults of a live run's own workers, as their launcher brings them about: a signal to one that it
// started, a word to one whose disk shall be full.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/processes/crew.h"
#include "emulator/runtime/placement.h"
#include "messages/fault.pb.h"
#include "messages/payload.h"

namespace troupe {

class ProcessFaults {
 public:
  /// `tell` is given what happened to whom, as a fact.
  ProcessFaults(Crew& crew, Placement placement, std::uint64_t seed,
                std::function<void(Payload)> tell);

  void add(SimTime at, const fault::BefallProcess& fault) { due_.emplace(at, fault); }
  /// When the next is due, if any.
  [[nodiscard]] std::optional<SimTime> next() const;
  /// Does what is due by `now`.
  void act(SimTime now);
  /// That worker died: its successor runs. A disk is as full as before.
  void forget_pause(std::uint32_t process);
  /// Nothing stands still any more, so that the run can end.
  void resume_all();

  [[nodiscard]] bool is_paused(std::uint32_t process) const;
  [[nodiscard]] bool has_full_disk(std::uint32_t process) const;

 private:
  using Held = std::pair<fault::BefallProcess::Effect, std::uint32_t>;  ///< what holds, and whom

  void befall(const fault::BefallProcess& fault);
  void heal(const fault::BefallProcess& fault);
  void begin(fault::BefallProcess::Effect effect, std::uint32_t process);
  void end(const Held& held);
  [[nodiscard]] bool is_meant(const fault::BefallProcess& fault, std::uint32_t process) const;
  [[nodiscard]] std::uint64_t draw(std::uint64_t purpose, std::uint64_t index) const;

  Crew& crew_;
  Placement placement_;
  std::uint64_t seed_;
  std::function<void(Payload)> tell_;
  std::multimap<SimTime, fault::BefallProcess> due_;
  std::map<Held, std::uint32_t> held_;  ///< by which fault
  std::uint64_t befallen_ = 0;          ///< how many faults so far: draws differ
};

}  // namespace troupe
