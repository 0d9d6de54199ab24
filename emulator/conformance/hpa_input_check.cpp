// What the schema of the component `hpa` cannot say of its input.
#include <algorithm>
#include <string>
#include <vector>

#include "actors/autoscalers/hpa/spec_reader.h"
#include "emulator/config/values.h"
#include "emulator/conformance/hpa_unit.h"
#include "emulator/manifests/spelling.h"

namespace troupe::conformance {
namespace {

using config::duration_or;
using std::chrono::hours;

// A case is read by people; whatever is larger is a slip.
constexpr std::uint32_t kPodsMax = 10'000;
constexpr std::uint64_t kSyncsMax = 10'000;
constexpr std::uint64_t kWorkMax = 5'000'000;  // pods looked at, all syncs together
constexpr Duration kLongest = hours(30 * 24);

bool is_total(const hpa::MetricSpec& metric) {
  return metric.type == hpa::SourceType::Object || metric.type == hpa::SourceType::External;
}

class InputCheck {
 public:
  InputCheck(const config::HpaUnitInput& input, config::Problems& problems)
      : input_(input), problems_(problems) {
    k8s::HorizontalPodAutoscaler autoscaler;
    *autoscaler.mutable_spec() = input.spec();
    metrics_ = hpa::spec_of(autoscaler, {}).metrics;
  }

  void run() {
    const k8s::HorizontalPodAutoscalerSpec& spec = input_.spec();
    if (spec.min_replicas() > spec.max_replicas()) {
      problems_.add("spec.minReplicas", "expected at most maxReplicas");
    }
    check_count("spec.maxReplicas", static_cast<std::uint32_t>(spec.max_replicas()));
    check_count("replicas", input_.replicas());
    check_containers();
    check_flags();
    std::uint64_t syncs = 0;
    std::uint32_t pods =
        std::max(static_cast<std::uint32_t>(spec.max_replicas()), input_.replicas());
    for (int i = 0; i < input_.syncs_size(); ++i) {
      syncs += std::max(1U, input_.syncs(i).times());
      pods = std::max(pods, check_sync(input_.syncs(i), "syncs[" + std::to_string(i) + "]"));
    }
    if (syncs > kSyncsMax || syncs * pods > kWorkMax) {
      problems_.add("syncs", "expected less: at most 10,000 syncs that look at 5,000,000 pods");
    }
    // Times that are too long to be added up were refused above.
    if (problems_.empty()) check_order();
  }

 private:
  void check_containers() {
    std::string container;
    for (const hpa::MetricSpec& metric : metrics_) {
      if (container.empty()) container = metric.container;
      if (metric.container.empty() || metric.container == container) continue;
      problems_.add("spec.metrics",
                    "expected metrics of one container: the pods of a case have one");
    }
  }

  void check_flags() {
    const config::HpaFlags& flags = input_.flags();
    check_length("flags.syncPeriod", flags.sync_period());
    check_length("flags.downscaleStabilization", flags.downscale_stabilization());
    check_length("flags.cpuInitializationPeriod", flags.cpu_initialization_period());
    check_length("flags.initialReadinessDelay", flags.initial_readiness_delay());
    if (hpa_sync_period(input_) == Duration::zero()) {
      problems_.add("flags.syncPeriod", "expected a length above zero");
    }
  }

  /// How many pods the sync lists or sets.
  std::uint32_t check_sync(const config::HpaSync& sync, const std::string& path) {
    std::uint64_t listed = 0;
    int without_count = 0;
    check_length(path + ".at", sync.at());
    check_count(path + ".statusReplicas", sync.status_replicas());
    check_count(path + ".replicas", sync.replicas());
    for (int i = 0; i < sync.pods_size(); ++i) {
      const std::string at = path + ".pods[" + std::to_string(i) + "]";
      const config::HpaPods& pods = sync.pods(i);
      listed += pods.count();
      without_count += pods.has_count() ? 0 : 1;
      check_length(at + ".age", pods.age());
      check_length(at + ".readyFor", pods.ready_for());
      check_length(at + ".sampleAge", pods.sample_age());
      for (const auto& value : pods.values()) check_metric(at + ".values", value.name(), false);
    }
    if (without_count > 1) problems_.add(path + ".pods", "expected `count` in all entries but one");
    if (listed > kPodsMax) problems_.add(path + ".pods", "expected at most 10,000 pods");
    for (const auto& total : sync.totals()) check_metric(path + ".totals", total.name(), true);
    for (const auto& error : sync.errors()) {
      find_metric(path + ".errors", error.key());
      if (error.value().empty()) problems_.add(path + ".errors." + error.key(), "expected a text");
    }
    const std::uint64_t pods = std::max<std::uint64_t>(listed, sync.replicas());
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(pods, kPodsMax));
  }

  const hpa::MetricSpec* find_metric(const std::string& path, const std::string& name) {
    std::vector<std::string> names;
    for (const hpa::MetricSpec& metric : metrics_) {
      if (metric.name == name) return &metric;
      names.push_back(metric.name);
    }
    const std::string meant = manifests::nearest(name, names);
    problems_.add(path + "." + name,
                  "the autoscaler has no such metric" +
                      (meant.empty() ? "" : ", did you mean \"" + meant + "\"?"));
    return nullptr;
  }

  void check_metric(const std::string& path, const std::string& name, bool total) {
    const hpa::MetricSpec* metric = find_metric(path, name);
    if (metric == nullptr || is_total(*metric) == total) return;
    problems_.add(path + "." + name, total
                                         ? "a metric of pods: expected it in the `values` of `pods`"
                                         : "an Object or External metric: expected it in `totals`");
  }

  void check_count(const std::string& path, std::uint32_t count) {
    if (count > kPodsMax) problems_.add(path, "expected at most 10,000 pods");
  }

  void check_length(const std::string& path, const std::string& length) {
    if (duration_or(length, {}) > kLongest) problems_.add(path, "expected at most 30d");
  }

  void check_order() {
    const std::vector<SimTime> times = hpa_sync_times(input_);
    for (std::size_t i = 1; i < times.size(); ++i) {
      const std::uint32_t more = std::max(1U, input_.syncs(static_cast<int>(i) - 1).times()) - 1;
      if (times[i] >= times[i - 1] + more * hpa_sync_period(input_)) continue;
      problems_.add("syncs[" + std::to_string(i) + "].at",
                    "expected a time not before the sync above");
    }
  }

  const config::HpaUnitInput& input_;
  config::Problems& problems_;
  std::vector<hpa::MetricSpec> metrics_;
};

}  // namespace

void check_hpa_input(const config::HpaUnitInput& input, config::Problems& problems) {
  InputCheck(input, problems).run();
}

}  // namespace troupe::conformance
