#include "emulator/conformance/hpa_unit.h"

#include <algorithm>
#include <utility>

#include "actors/autoscalers/hpa/decision.h"
#include "actors/autoscalers/hpa/spec_reader.h"
#include "emulator/config/values.h"
#include "messages/labels.h"

namespace troupe::conformance {
namespace {

using config::duration_or;
using config::milli_quantity_or;
using std::chrono::hours;
using std::chrono::seconds;

constexpr Duration kPodAge = hours(1);
constexpr Duration kSyncPeriod = seconds(15);
constexpr Duration kSampleWindow = seconds(15);  // metrics-server's resolution

hpa::Options options_of(const config::HpaFlags& flags, const std::string& profile) {
  hpa::Options options;
  if (flags.has_tolerance()) options.tolerance = flags.tolerance();
  options.downscale_stabilization =
      duration_or(flags.downscale_stabilization(), options.downscale_stabilization);
  options.cpu_initialization =
      duration_or(flags.cpu_initialization_period(), options.cpu_initialization);
  options.initial_readiness_delay =
      duration_or(flags.initial_readiness_delay(), options.initial_readiness_delay);
  options.profile = profile == "1.31" ? hpa::Profile::Kubernetes131 : hpa::Profile::Kubernetes135;
  return options;
}

hpa::Spec spec_of(const k8s::HorizontalPodAutoscalerSpec& spec, const hpa::Options& options) {
  k8s::HorizontalPodAutoscaler autoscaler;
  *autoscaler.mutable_spec() = spec;
  return hpa::spec_of(autoscaler, options.downscale_stabilization);
}

hpa::PodPhase phase_of(const std::string& phase) {
  if (phase == "Pending") return hpa::PodPhase::Pending;
  if (phase == "Succeeded") return hpa::PodPhase::Succeeded;
  if (phase == "Failed") return hpa::PodPhase::Failed;
  if (phase == "Unknown") return hpa::PodPhase::Unknown;
  return hpa::PodPhase::Running;
}

// The only container of the pods: the one that the metrics ask for, if they ask for one.
std::string container_of(const hpa::Spec& spec) {
  for (const hpa::MetricSpec& metric : spec.metrics) {
    if (!metric.container.empty()) return metric.container;
  }
  return "main";
}

std::map<std::string, std::int64_t> milli_of(const ResourceMap& amounts) {
  std::map<std::string, std::int64_t> milli;
  for (const k8s::ResourceAmount& amount : amounts) {
    milli[amount.name()] = milli_quantity_or(amount.quantity(), 0);
  }
  return milli;
}

// The pods at one sync, and what the metrics APIs have of them.
struct Scene {
  hpa::ContainerRequests container;
  SimTime now;
  std::vector<hpa::PodState> pods = {};
  std::map<std::string, hpa::PodMetrics> samples = {};  // by metric

  void add(const config::HpaPods& spec, std::uint32_t count) {
    const SimTime sampled = now - duration_or(spec.sample_age(), Duration::zero());
    for (std::uint32_t i = 0; i < count; ++i) {
      pods.push_back(pod_of(spec));
      pods.back().name = "pod-" + std::to_string(pods.size());
      for (const k8s::ResourceAmount& value : spec.values()) {
        const std::int64_t milli = milli_quantity_or(value.quantity(), 0);
        samples[value.name()][pods.back().name] = {milli, sampled, kSampleWindow};
      }
    }
  }

  [[nodiscard]] hpa::PodState pod_of(const config::HpaPods& spec) const {
    hpa::PodState pod;
    pod.phase = phase_of(spec.phase());
    pod.deleting = spec.deleting();
    const bool ready = spec.has_ready() ? spec.ready() : pod.phase == hpa::PodPhase::Running;
    pod.ready = ready ? hpa::Readiness::True : hpa::Readiness::False;
    const Duration age = duration_or(spec.age(), kPodAge);
    const bool has_started = pod.phase != hpa::PodPhase::Pending || !spec.age().empty();
    if (has_started) pod.start_time = now - age;
    pod.ready_transition = now - duration_or(spec.ready_for(), age);
    pod.containers.push_back(container);
    if (!spec.requests().empty()) pod.containers.back().milli = milli_of(spec.requests());
    return pod;
  }
};

hpa::MetricReading reading_of(const hpa::MetricSpec& metric, const config::HpaSync& sync,
                              const Scene& scene) {
  hpa::MetricReading reading;
  for (const config::KeyValue& error : sync.errors()) {
    if (error.key() == metric.name) reading.error = error.value();
  }
  for (const k8s::ResourceAmount& total : sync.totals()) {
    if (total.name() == metric.name) {
      reading.totals.push_back(milli_quantity_or(total.quantity(), 0));
    }
  }
  if (const auto samples = scene.samples.find(metric.name); samples != scene.samples.end()) {
    reading.pods = samples->second;
  }
  // As the metrics APIs have it: no value is an error, never a zero.
  const bool is_silent = reading.totals.empty() && reading.pods.empty();
  if (is_silent && reading.error.empty()) reading.error = "no metrics returned";
  return reading;
}

class Target {
 public:
  Target(const config::HpaUnitInput& input, const hpa::Options& options)
      : options_(options),
        spec_(spec_of(input.spec(), options)),
        container_{container_of(spec_), milli_of(input.requests())},
        replicas_(static_cast<std::int32_t>(input.replicas())) {}

  void sync(const config::HpaSync& sync, SimTime now) {
    if (sync.restart()) memory_.history = {};
    const Scene scene = scene_of(sync, now);
    const auto status =
        sync.has_status_replicas() ? static_cast<std::int32_t>(sync.status_replicas()) : replicas_;
    const hpa::SyncContext context{spec_,   {replicas_, status, "app=target"}, scene.pods, {}, now,
                                   options_};
    std::optional<hpa::Decision> early = hpa::decide_without_metrics(context, memory_);
    hpa::Decision decision =
        early ? *std::move(early) : hpa::decide(context, readings_of(sync, scene), memory_);
    if (!decision.rescale) return;
    const bool refused = !sync.write_error().empty();
    const std::optional<std::string> error =
        refused ? std::optional(sync.write_error()) : std::nullopt;
    hpa::conclude(spec_, {error, now}, decision, memory_);
    if (!refused) replicas_ = decision.desired;
  }

  /// Somebody else rescales it.
  void set(std::int32_t replicas) { replicas_ = replicas; }
  [[nodiscard]] std::int32_t replicas() const { return replicas_; }
  [[nodiscard]] const ConditionList& conditions() const { return memory_.conditions; }

 private:
  [[nodiscard]] Scene scene_of(const config::HpaSync& sync, SimTime now) const {
    Scene scene{container_, now};
    const auto all = static_cast<std::uint32_t>(replicas_);
    std::uint32_t counted = 0;
    for (const config::HpaPods& pods : sync.pods()) counted += pods.count();
    for (const config::HpaPods& pods : sync.pods()) {
      scene.add(pods, pods.has_count() ? pods.count() : all - std::min(all, counted));
    }
    if (sync.pods().empty()) scene.add({}, all);
    return scene;
  }

  [[nodiscard]] std::vector<hpa::MetricReading> readings_of(const config::HpaSync& sync,
                                                            const Scene& scene) const {
    std::vector<hpa::MetricReading> readings;
    for (const hpa::MetricSpec& metric : spec_.metrics) {
      readings.push_back(reading_of(metric, sync, scene));
    }
    return readings;
  }

  hpa::Options options_;
  hpa::Spec spec_;
  hpa::ContainerRequests container_;
  hpa::Memory memory_;
  std::int32_t replicas_;
};

}  // namespace

Duration hpa_sync_period(const config::HpaUnitInput& input) {
  return duration_or(input.flags().sync_period(), kSyncPeriod);
}

std::vector<SimTime> hpa_sync_times(const config::HpaUnitInput& input) {
  const Duration period = hpa_sync_period(input);
  std::vector<SimTime> times;
  SimTime next = kTimeZero;
  for (const config::HpaSync& sync : input.syncs()) {
    times.push_back(sync.at().empty() ? next : kTimeZero + duration_or(sync.at(), period));
    next = times.back() + std::max(1U, sync.times()) * period;
  }
  return times;
}

config::HpaUnitOutput run_hpa(const config::HpaUnitInput& input, const std::string& profile,
                              const config::HpaUnitOutput& /*expected*/) {
  config::HpaUnitOutput output;
  const std::vector<SimTime> times = hpa_sync_times(input);
  Target target(input, options_of(input.flags(), profile));
  for (int i = 0; i < input.syncs_size(); ++i) {
    const config::HpaSync& sync = input.syncs(i);
    SimTime now = times[static_cast<std::size_t>(i)];
    if (sync.has_replicas()) target.set(static_cast<std::int32_t>(sync.replicas()));
    for (std::uint32_t k = 0; k < std::max(1U, sync.times()); ++k, now += hpa_sync_period(input)) {
      const std::int32_t before = target.replicas();
      target.sync(sync, now);
      output.add_replicas(target.replicas());
      if (target.replicas() == before) continue;
      config::HpaChange& change = *output.add_changes();
      change.set_at(to_ns(now));
      change.set_replicas(target.replicas());
    }
  }
  output.set_final_replicas(target.replicas());
  for (const k8s::Condition& condition : target.conditions()) {
    config::HpaCondition& shown = *output.add_conditions();
    shown.set_type(condition.type());
    shown.mutable_view()->set_status(condition.status());
    shown.mutable_view()->set_reason(condition.reason());
    shown.mutable_view()->set_message(condition.message());
  }
  return output;
}

}  // namespace troupe::conformance
