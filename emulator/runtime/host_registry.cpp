#include "emulator/runtime/host_registry.h"

#include "messages/assert.h"

namespace troupe {

void HostRegistry::add(const std::string& kind, Builder builder) {
  const bool added = builders_.emplace(kind, std::move(builder)).second;
  TROUPE_ASSERT(added, "host kind '" + kind + "' is registered twice");
}

void HostRegistry::replace(const std::string& kind, const std::function<Builder(Builder)>& make) {
  Builder& builder = builders_.at(kind);
  builder = make(std::move(builder));
}

std::unique_ptr<Actor> HostRegistry::build(const std::string& kind,
                                           const Payload& host_start) const {
  const auto found = builders_.find(kind);
  TROUPE_ASSERT(found != builders_.end(), "no host kind '" + kind + "' is registered");
  return found->second(host_start);
}

}  // namespace troupe
