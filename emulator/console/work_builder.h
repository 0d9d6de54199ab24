// Steps for the console's director, and the same as entries of a scenario's `steps`.
#pragma once

#include "emulator/console/act_commands.h"

namespace troupe::console {

class WorkBuilder {
 public:
  explicit WorkBuilder(const ActContext& context) : context_(context) {}

  void apply(Payload object);
  /// `partial` names its object.
  void patch(Payload partial);
  void remove(const api::ObjectKey& key);
  void evict(const api::ObjectKey& key);
  void scale(const Kind& kind, const api::ObjectKey& key, std::int64_t replicas);

  /// What stands in the command from then on.
  [[nodiscard]] Act finish(std::string done);

 private:
  director::Step& add(api::Verb verb);
  void add_entry(const char* what, Json value);

  const ActContext& context_;
  director::Plan plan_;
  std::vector<Payload> objects_;
  journal::Command command_;
};

}  // namespace troupe::console
