// Adding a host to a plan.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "messages/envelope.h"
#include "messages/plan.pb.h"

namespace troupe::config {

/// Appends a host that begins at time 0; its configuration is the first attachment.
template <class Config>
void add_host(plan::RunPlan& plan, const std::string& path, const std::string& kind, Config config,
              const std::vector<Payload>& more = {}) {
  plan::HostPlan& host = *plan.add_hosts();
  host.set_path(path);
  host.set_kind(kind);
  *host.add_attachments() = to_envelope(Payload::of(std::move(config)));
  for (const Payload& attachment : more) *host.add_attachments() = to_envelope(attachment);
}

}  // namespace troupe::config
