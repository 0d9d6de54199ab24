// Which actor begins a host of which kind. One explicit list, made by the file that wires
// (emulator/processes); the runtime knows no concrete actor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "actors/actor.h"
#include "messages/payload.h"

namespace troupe {

class HostRegistry {
 public:
  /// Makes the root actor of a host from its runtime::HostStart. May throw: bad configuration is a
  /// defect of ours.
  using Builder = std::function<std::unique_ptr<Actor>(const Payload& host_start)>;

  void add(const std::string& kind, Builder builder);
  /// Puts another builder in the place of a kind's own, which it is given.
  void replace(const std::string& kind, const std::function<Builder(Builder)>& make);
  /// Throws ContractViolation for a kind that nobody registered.
  [[nodiscard]] std::unique_ptr<Actor> build(const std::string& kind,
                                             const Payload& host_start) const;

 private:
  std::map<std::string, Builder> builders_;
};

}  // namespace troupe
