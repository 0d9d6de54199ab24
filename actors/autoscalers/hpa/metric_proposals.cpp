#include "actors/autoscalers/hpa/metric_proposals.h"

#include <limits>

#include "messages/assert.h"

namespace troupe::hpa {
namespace {

// A metric's proposal with its description, or why there is none.
struct Evaluated {
  Result<Proposal> proposal;
  bool is_total = false;
};

const char* failure_reason(SourceType type) {
  switch (type) {
    case SourceType::Resource:
      return "FailedGetResourceMetric";
    case SourceType::ContainerResource:
      return "FailedGetContainerResourceMetric";
    case SourceType::Pods:
      return "FailedGetPodsMetric";
    case SourceType::Object:
      return "FailedGetObjectMetric";
    case SourceType::External:
      return "FailedGetExternalMetric";
  }
  return "InvalidMetricSourceType";
}

// How the original names a metric in "the HPA was able to successfully calculate a replica count
// from ...".
std::string describe(const MetricSpec& metric) {
  const bool utilization = metric.target.average_utilization && !metric.target.average_value;
  switch (metric.type) {
    case SourceType::Resource:
      return metric.name +
             (utilization ? " resource utilization (percentage of request)" : " resource");
    case SourceType::ContainerResource:
      return metric.name + (utilization ? " container resource utilization (percentage of request)"
                                        : " resource");
    case SourceType::Pods:
      return "pods metric " + metric.name;
    case SourceType::Object:
      return metric.object_kind + " metric " + metric.name;
    case SourceType::External:
      return "external metric " + metric.name;
  }
  return metric.name;
}

std::string decimal(std::int64_t milli) {
  std::string text = std::to_string(milli / 1000);
  std::int64_t rest = (milli < 0 ? -milli : milli) % 1000;
  if (rest == 0) return text;
  std::string digits = std::to_string(1000 + rest).substr(1);
  digits.erase(digits.find_last_not_of('0') + 1);
  return text + "." + digits;
}

std::string signal_of(const MetricSpec& metric, const Proposal& proposal) {
  if (metric.target.average_utilization && proposal.utilization_percent) {
    return metric.name + "=" + std::to_string(*proposal.utilization_percent) +
           "% target=" + std::to_string(*metric.target.average_utilization) + "%";
  }
  const std::int64_t target = metric.target.average_value.value_or(metric.target.value.value_or(0));
  return metric.name + "=" + decimal(proposal.usage_milli) + " target=" + decimal(target);
}

std::int64_t saturating_sum(const std::vector<std::int64_t>& values) {
  std::int64_t sum = 0;
  for (const std::int64_t value : values) {
    if (value > 0 && sum > std::numeric_limits<std::int64_t>::max() - value) {
      return std::numeric_limits<std::int64_t>::max();
    }
    sum += value;
  }
  return sum;
}

Result<Proposal> propose_resource(const MetricSpec& metric, const ReplicaCalculator& calculator,
                                  const MetricReading& reading) {
  const std::string about = "failed to get " + metric.name;
  Result<Proposal> proposal = fail(
      "invalid resource metric source: neither an average utilization target nor an average value "
      "(usage) target was set");
  if (!reading.error.empty()) {
    proposal =
        fail(about + ": unable to get metrics for resource " + metric.name + ": " + reading.error);
  } else if (metric.target.average_value) {
    proposal = calculator.by_average(reading.pods, metric.name, *metric.target.average_value);
    if (!proposal) proposal = fail(about + " usage: " + proposal.error().message);
  } else if (metric.target.average_utilization) {
    proposal = calculator.by_utilization(reading.pods, {metric.name, metric.container},
                                         *metric.target.average_utilization);
    if (!proposal) proposal = fail(about + " utilization: " + proposal.error().message);
  }
  return proposal;
}

Result<Proposal> propose_total(const MetricSpec& metric, const ReplicaCalculator& calculator,
                               const MetricReading& reading) {
  if (!reading.error.empty()) {
    return fail("unable to get metric " + metric.name + ": " + reading.error);
  }
  const std::int64_t total = saturating_sum(reading.totals);
  // The original looks at averageValue first for External metrics; an Object metric says which it
  // means by its type.
  if (metric.target.average_value) {
    return calculator.by_total_per_replica(total, *metric.target.average_value);
  }
  if (metric.target.value) return calculator.by_total(total, *metric.target.value);
  return fail("invalid metric source: neither a value target nor an average value target was set");
}

// The API server refuses targets of zero or less; an object that was written past it must not
// divide by them.
bool has_usable_target(const MetricTarget& target) {
  return target.value.value_or(1) > 0 && target.average_value.value_or(1) > 0 &&
         target.average_utilization.value_or(1) > 0;
}

Evaluated evaluate(const MetricSpec& metric, const ReplicaCalculator& calculator,
                   const MetricReading& reading) {
  if (!has_usable_target(metric.target)) {
    return {fail("invalid target of metric " + metric.name + ": must be positive"), false};
  }
  switch (metric.type) {
    case SourceType::Resource:
    case SourceType::ContainerResource:
      return {propose_resource(metric, calculator, reading), false};
    case SourceType::Pods:
      if (!reading.error.empty()) {
        return {fail("unable to get metric " + metric.name + ": " + reading.error), false};
      }
      if (!metric.target.average_value) {
        return {fail("invalid pods metric source: no average value target was set"), false};
      }
      return {calculator.by_average(reading.pods, {}, *metric.target.average_value), false};
    case SourceType::Object:
    case SourceType::External:
      return {propose_total(metric, calculator, reading), !metric.target.average_value.has_value()};
  }
  return {fail("unknown metric source type"), false};
}

std::string wrapped(const MetricSpec& metric, const std::string& message) {
  switch (metric.type) {
    case SourceType::Resource:
      return "failed to get " + metric.name + " resource metric value: " + message;
    case SourceType::ContainerResource:
      return "failed to get " + metric.container + " container metric value: " + message;
    case SourceType::Pods:
      return "failed to get pods metric value: " + message;
    case SourceType::Object:
      return "failed to get object metric value: " + message;
    case SourceType::External:
      return "failed to get " + metric.name + " external metric value: " + message;
  }
  return message;
}

}  // namespace

CombinedProposal combine_metrics(const Spec& spec, const Situation& situation,
                                 const std::vector<MetricReading>& readings) {
  TROUPE_ASSERT(readings.size() == spec.metrics.size(), "one reading per metric");
  const ReplicaCalculator calculator(situation);
  CombinedProposal out;
  std::size_t invalid = 0;
  std::string first_error;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const MetricSpec& metric = spec.metrics[i];
    const Evaluated evaluated = evaluate(metric, calculator, readings[i]);
    if (!evaluated.proposal) {
      const std::string& message = evaluated.proposal.error().message;
      out.events.push_back({true, failure_reason(metric.type), message});
      if (invalid++ == 0) {
        first_error = wrapped(metric, message);
        out.failed_reason = failure_reason(metric.type);
        out.failed_message = "the HPA was unable to compute the replica count: " + message;
      }
      continue;
    }
    const Proposal& proposal = *evaluated.proposal;
    out.current.push_back(
        {i, proposal.usage_milli, evaluated.is_total, proposal.utilization_percent});
    if (out.metric.empty() || proposal.replicas > out.replicas) {
      out.replicas = proposal.replicas;
      out.metric = describe(metric);
      out.signal = signal_of(metric, proposal);
    }
  }
  if (invalid > 0) {
    out.error = "invalid metrics (" + std::to_string(invalid) + " invalid out of " +
                std::to_string(readings.size()) + "), first error is: " + first_error;
  }
  out.valid = invalid < readings.size() && !(invalid > 0 && out.replicas < situation.spec_replicas);
  return out;
}

}  // namespace troupe::hpa
