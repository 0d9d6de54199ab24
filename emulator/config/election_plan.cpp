#include "emulator/config/election_plan.h"

#include "emulator/config/values.h"
#include "messages/envelope.h"

namespace troupe::config {
namespace {

// k8s.io/component-base/config: the defaults of kube-scheduler and kube-controller-manager, which
// controller-runtime and KAI share.
constexpr Duration kLeaseDuration = std::chrono::seconds(15);
constexpr Duration kRenewDeadline = std::chrono::seconds(10);
/// client-go's leaderelection.JitterFactor, in percent.
constexpr std::int64_t kJitterPercent = 120;

}  // namespace

hosts::LeaderElection plan_election(const Election& spec, const ElectionDefaults& defaults,
                                    const std::string& path, Problems& problems) {
  const Duration lease = duration_or(spec.lease_duration(), kLeaseDuration);
  const Duration deadline = duration_or(spec.renew_deadline(), kRenewDeadline);
  const Duration retry = duration_or(spec.retry_period(), defaults.retry_period);
  // What client-go refuses to begin with.
  if (lease <= deadline) problems.add(path, "expected leaseDuration above renewDeadline");
  if (retry <= Duration::zero() || deadline.count() <= retry.count() / 100 * kJitterPercent) {
    problems.add(path, "expected renewDeadline above 1.2 times retryPeriod, which is above zero");
  }
  hosts::LeaderElection election;
  election.set_namespace_(defaults.name_space);
  election.set_lease(defaults.lease);
  election.set_lease_duration_ns(lease.count());
  election.set_renew_deadline_ns(deadline.count());
  election.set_retry_period_ns(retry.count());
  election.set_release_on_cancel(defaults.release_on_cancel);
  election.set_api_servers(1);
  return election;
}

std::optional<hosts::LeaderElection> planned_election(const plan::HostPlan& host) {
  for (const runtime::Envelope& attachment : host.attachments()) {
    const bool may = attachment.type() == hosts::LeaderElection::descriptor()->full_name() ||
                     attachment.type() == hosts::KubeSchedulerConfig::descriptor()->full_name();
    const Result<Payload> payload = may ? from_envelope(attachment) : Result<Payload>(Payload());
    if (!may || !payload) continue;
    if (const auto* election = payload->as<hosts::LeaderElection>()) return *election;
    const auto* scheduler = payload->as<hosts::KubeSchedulerConfig>();
    if (scheduler != nullptr && scheduler->has_election()) return scheduler->election();
  }
  return std::nullopt;
}

}  // namespace troupe::config
