#include "actors/autoscalers/hpa/replica_calculator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "actors/autoscalers/hpa/pod_groups.h"
#include "actors/autoscalers/hpa/usage_ratio.h"

namespace troupe::hpa {
namespace {

constexpr const char* kNoPods = "no pods returned by selector while calculating replica count";
constexpr const char* kNoSamples =
    "did not receive metrics for targeted pods (pods might be unready)";

// The two kinds of targets differ in how a ratio is computed and in what a silent pod uses on a
// scale-down.
struct Measure {
  std::function<Result<UsageRatio>(const PodMetrics&)> ratio;
  std::function<std::int64_t(const std::string& pod)> at_target;
};

// Gives pods without a trustworthy sample a value that works against the change.
void fill_in(PodMetrics& metrics, const PodGroups& groups, double ratio, const Measure& measure) {
  for (const std::string& pod : groups.missing) {
    if (ratio < 1.0) metrics[pod] = {measure.at_target(pod), {}, {}};
    if (ratio > 1.0) metrics[pod] = {};
  }
  if (ratio > 1.0) {
    for (const std::string& pod : groups.unready) metrics[pod] = {};
  }
}

Result<Proposal> propose(const Situation& situation, PodMetrics metrics, const PodGroups& groups,
                         const Measure& measure) {
  const Result<UsageRatio> first = measure.ratio(metrics);
  if (!first) return tl::unexpected(first.error());
  const double ratio = first->ratio;
  Proposal proposal{situation.spec_replicas, first->mean_milli, {}};

  const bool grow_with_unready = !groups.unready.empty() && ratio > 1.0;
  if (!grow_with_unready && groups.missing.empty()) {
    if (!situation.tolerance.holds(ratio)) {
      proposal.replicas = round_up_replicas(ratio * static_cast<double>(groups.ready));
    }
    proposal.utilization_percent = first->utilization_percent;
    return proposal;
  }

  fill_in(metrics, groups, ratio, measure);
  const Result<UsageRatio> second = measure.ratio(metrics);
  if (!second) return tl::unexpected(second.error());
  const double filled = second->ratio;
  proposal.utilization_percent = first->utilization_percent;
  const bool turned = (ratio < 1.0 && filled > 1.0) || (ratio > 1.0 && filled < 1.0);
  if (situation.tolerance.holds(filled) || turned) return proposal;

  const std::int32_t replicas = round_up_replicas(filled * static_cast<double>(metrics.size()));
  const bool backwards = (filled < 1.0 && replicas > situation.spec_replicas) ||
                         (filled > 1.0 && replicas < situation.spec_replicas);
  if (!backwards) proposal.replicas = replicas;
  return proposal;
}

CpuWarmUp warm_up(const Situation& situation, const std::string& resource) {
  return {resource == "cpu", situation.now, situation.options.cpu_initialization,
          situation.options.initial_readiness_delay};
}

}  // namespace

std::int32_t round_up_replicas(double replicas) {
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  const double whole = std::ceil(replicas);
  if (std::isnan(whole) || whole <= 0.0) return 0;
  return whole >= kMost ? std::numeric_limits<std::int32_t>::max()
                        : static_cast<std::int32_t>(whole);
}

Result<Proposal> ReplicaCalculator::by_utilization(PodMetrics metrics, const ResourceRef& resource,
                                                   std::int32_t target_percent) const {
  if (situation_.pods.empty()) return fail(kNoPods);
  const PodGroups groups = group_pods(situation_.pods, metrics, warm_up(situation_, resource.name));
  remove_samples(metrics, groups.ignored);
  remove_samples(metrics, groups.unready);
  if (metrics.empty()) return fail(kNoSamples);
  const Result<PodRequests> requests =
      requests_of(situation_.pods, resource.name, resource.container);
  if (!requests) return tl::unexpected(requests.error());

  const Measure measure{[&](const PodMetrics& samples) {
                          return utilization_ratio(samples, *requests, target_percent);
                        },
                        [&](const std::string& pod) {
                          return requests->at(pod) * std::max<std::int64_t>(100, target_percent) /
                                 100;
                        }};
  return propose(situation_, std::move(metrics), groups, measure);
}

Result<Proposal> ReplicaCalculator::by_average(PodMetrics metrics, const std::string& resource,
                                               std::int64_t target_milli) const {
  if (situation_.pods.empty()) return fail(kNoPods);
  const PodGroups groups = group_pods(situation_.pods, metrics, warm_up(situation_, resource));
  remove_samples(metrics, groups.ignored);
  remove_samples(metrics, groups.unready);
  if (metrics.empty()) return fail(kNoSamples);

  const Measure measure{[&](const PodMetrics& samples) -> Result<UsageRatio> {
                          return mean_ratio(samples, target_milli);
                        },
                        [&](const std::string&) { return target_milli; }};
  Result<Proposal> proposal = propose(situation_, std::move(metrics), groups, measure);
  if (proposal) proposal->utilization_percent.reset();
  return proposal;
}

Result<Proposal> ReplicaCalculator::by_total(std::int64_t total_milli,
                                             std::int64_t target_milli) const {
  const double ratio = static_cast<double>(total_milli) / static_cast<double>(target_milli);
  if (situation_.spec_replicas == 0) return Proposal{round_up_replicas(ratio), total_milli, {}};
  if (situation_.tolerance.holds(ratio)) return Proposal{situation_.spec_replicas, total_milli, {}};
  if (situation_.pods.empty())
    return fail(std::string("unable to calculate ready pods: ") + kNoPods);
  const auto ready =
      std::count_if(situation_.pods.begin(), situation_.pods.end(), [](const PodState& pod) {
        return pod.phase == PodPhase::Running && pod.ready == Readiness::True;
      });
  return Proposal{round_up_replicas(ratio * static_cast<double>(ready)), total_milli, {}};
}

Proposal ReplicaCalculator::by_total_per_replica(std::int64_t total_milli,
                                                 std::int64_t target_milli) const {
  const auto total = static_cast<double>(total_milli);
  const auto target = static_cast<double>(target_milli);
  const auto replicas = static_cast<double>(situation_.status_replicas);
  Proposal proposal{situation_.status_replicas, total_milli, {}};
  if (situation_.status_replicas == 0) {
    proposal.replicas = round_up_replicas(total / target);
    return proposal;
  }
  if (!situation_.tolerance.holds(total / (target * replicas))) {
    proposal.replicas = round_up_replicas(total / target);
  }
  proposal.usage_milli = static_cast<std::int64_t>(std::ceil(total / replicas));
  return proposal;
}

}  // namespace troupe::hpa
