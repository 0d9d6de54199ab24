// Faults of the cloud, of API servers, of telemetry and of loads.
#include <cmath>

#include "emulator/config/fault_actions.h"
#include "emulator/config/values.h"
#include "messages/cloud.pb.h"
#include "messages/fault.pb.h"
#include "messages/kinds.h"

namespace troupe::config {
namespace {

/// What kube-apiserver's priority and fairness asks of a client that it rejects.
constexpr Duration kRetryAfter = std::chrono::seconds(1);

template <class Spec>
FaultAction disturb_launches(fault::DisturbLaunches::Effect effect, const Spec& spec,
                             const FaultSetting& setting, Duration delay = Duration::zero()) {
  fault::DisturbLaunches disturb;
  disturb.set_id(setting.id);
  disturb.set_effect(effect);
  disturb.set_instance_type(spec.instance_type());
  disturb.set_zone(spec.zone());
  disturb.set_capacity_type(spec.capacity_type());
  disturb.set_delay_ns(delay.count());
  disturb.set_probability_ppm(setting.probability_ppm);
  disturb.set_after(setting.after);
  return with_heal(std::move(disturb));
}

fault::DisturbRequests requests(fault::DisturbRequests::Effect effect,
                                const FaultSetting& setting) {
  fault::DisturbRequests disturb;
  disturb.set_id(setting.id);
  disturb.set_effect(effect);
  disturb.set_probability_ppm(setting.probability_ppm);
  disturb.set_after(setting.after);
  return disturb;
}

void check_kind(const std::string& kind, const std::string& path, const FaultSetting& setting) {
  if (kind.empty() || find_kind(kind) != nullptr) return;
  setting.problems.add(path, "no kind '" + kind + "' is modelled");
}

fault::DisturbRequests requests(fault::DisturbRequests::Effect effect,
                                const Fault::ApiRequests& spec, const FaultSetting& setting) {
  fault::DisturbRequests disturb = requests(effect, setting);
  *disturb.mutable_verbs() = spec.verbs();
  *disturb.mutable_kinds() = spec.kinds();
  for (int i = 0; i < spec.kinds_size(); ++i) {
    check_kind(spec.kinds(i), setting.path + ".kinds[" + std::to_string(i) + "]", setting);
  }
  disturb.set_namespace_(spec.namespace_());
  const auto only_of = [&](bool mine, const std::string& value, const char* field) {
    if (!mine && !value.empty()) {
      setting.problems.add(setting.path + "." + field, "this fault has no such field");
    }
  };
  only_of(effect == fault::DisturbRequests::DELAY, spec.latency(), "latency");
  only_of(effect == fault::DisturbRequests::THROTTLE, spec.retry_after(), "retryAfter");
  only_of(effect == fault::DisturbRequests::REFUSE, spec.message(), "message");
  return disturb;
}

FaultAction end_watches(const Fault::Watches& spec, bool expire, const FaultSetting& setting) {
  check_kind(spec.kind(), setting.path + ".kind", setting);
  fault::EndWatches end;
  end.set_kind(spec.kind());
  end.set_expire(expire);
  return {.begin = Payload::of(std::move(end))};
}

FaultAction disturb_scrapes(const Fault::Scrapes& spec, bool freeze, const FaultSetting& setting) {
  fault::DisturbScrapes disturb;
  disturb.set_id(setting.id);
  disturb.set_target(spec.target());
  disturb.set_freeze(freeze);
  return with_heal(std::move(disturb));
}

}  // namespace

// ---- the cloud ----

FaultAction make_interrupt(const Fault& fault, const FaultSetting&) {
  fault::Reclaim reclaim;
  reclaim.set_node(fault.interrupt().node());
  reclaim.set_notice_ns(duration_or(fault.interrupt().notice(), Duration::zero()).count());
  return {.begin = Payload::of(std::move(reclaim)),
          .named = fault.interrupt().node(),
          .named_path = "interrupt.node"};
}

FaultAction make_pool_capacity(const Fault& fault, const FaultSetting&) {
  const Fault::PoolCapacity& spec = fault.pool_capacity();
  cloud::SetPoolCapacity message;
  message.set_instance_type(spec.instance_type());
  message.set_zone(spec.zone());
  message.set_capacity_type(spec.capacity_type());
  message.set_capacity(spec.capacity());
  return {.begin = Payload::of(std::move(message))};
}

FaultAction make_insufficient_capacity(const Fault& fault, const FaultSetting& setting) {
  return disturb_launches(fault::DisturbLaunches::NO_CAPACITY, fault.insufficient_capacity(),
                          setting);
}

FaultAction make_boot_delay(const Fault& fault, const FaultSetting& setting) {
  return disturb_launches(fault::DisturbLaunches::SLOW_BOOT, fault.boot_delay(), setting,
                          duration_or(fault.boot_delay().by(), Duration::zero()));
}

FaultAction make_boot_failure(const Fault& fault, const FaultSetting& setting) {
  return disturb_launches(fault::DisturbLaunches::FAILED_BOOT, fault.boot_failure(), setting);
}

FaultAction make_registration_failure(const Fault& fault, const FaultSetting& setting) {
  return disturb_launches(fault::DisturbLaunches::NEVER_REGISTERS, fault.registration_failure(),
                          setting);
}

FaultAction make_device_plugin_delay(const Fault& fault, const FaultSetting& setting) {
  return disturb_launches(fault::DisturbLaunches::LATE_DEVICE_PLUGIN, fault.device_plugin_delay(),
                          setting, duration_or(fault.device_plugin_delay().by(), Duration::zero()));
}

// ---- API servers ----

FaultAction make_api_server_latency(const Fault& fault, const FaultSetting& setting) {
  const Fault::ApiRequests& spec = fault.api_server_latency();
  fault::DisturbRequests disturb = requests(fault::DisturbRequests::DELAY, spec, setting);
  disturb.set_delay_ns(duration_or(spec.latency(), Duration::zero()).count());
  if (disturb.delay_ns() == 0) {
    setting.problems.add(setting.path + ".latency", "expected how late, \"2s\"");
  }
  return with_heal(std::move(disturb));
}

FaultAction make_api_server_unavailable(const Fault& fault, const FaultSetting& setting) {
  return with_heal(
      requests(fault::DisturbRequests::UNAVAILABLE, fault.api_server_unavailable(), setting));
}

FaultAction make_api_server_throttle(const Fault& fault, const FaultSetting& setting) {
  const Fault::ApiRequests& spec = fault.api_server_throttle();
  fault::DisturbRequests disturb = requests(fault::DisturbRequests::THROTTLE, spec, setting);
  disturb.set_retry_after_ns(duration_or(spec.retry_after(), kRetryAfter).count());
  return with_heal(std::move(disturb));
}

FaultAction make_webhook_refusal(const Fault& fault, const FaultSetting& setting) {
  const Fault::ApiRequests& spec = fault.webhook_refusal();
  fault::DisturbRequests disturb = requests(fault::DisturbRequests::REFUSE, spec, setting);
  disturb.set_message(spec.message());
  return with_heal(std::move(disturb));
}

FaultAction make_bind_rejection(const Fault& fault, const FaultSetting& setting) {
  fault::DisturbRequests disturb = requests(fault::DisturbRequests::REJECT_BIND, setting);
  disturb.add_verbs("bind");
  disturb.set_namespace_(fault.bind_rejection().namespace_());
  return with_heal(std::move(disturb));
}

FaultAction make_watch_cache_lag(const Fault& fault, const FaultSetting&) {
  fault::LagCache lag;
  lag.set_lag_ns(duration_or(fault.watch_cache_lag().by(), Duration::zero()).count());
  return {.begin = Payload::of(std::move(lag)), .end = Payload::of(fault::LagCache{})};
}

FaultAction make_watch_drop(const Fault& fault, const FaultSetting& setting) {
  return end_watches(fault.watch_drop(), false, setting);
}

FaultAction make_watch_expired(const Fault& fault, const FaultSetting& setting) {
  return end_watches(fault.watch_expired(), true, setting);
}

// ---- telemetry and loads ----

FaultAction make_metrics_gap(const Fault& fault, const FaultSetting& setting) {
  return disturb_scrapes(fault.metrics_gap(), false, setting);
}

FaultAction make_metrics_freeze(const Fault& fault, const FaultSetting& setting) {
  return disturb_scrapes(fault.metrics_freeze(), true, setting);
}

FaultAction make_load_spike(const Fault& fault, const FaultSetting&) {
  constexpr std::uint32_t kUnchanged = 1000;
  fault::SpikeLoad spike;
  spike.set_factor_permille(
      static_cast<std::uint32_t>(std::llround(fault.load_spike().factor() * kUnchanged)));
  fault::SpikeLoad usual;
  usual.set_factor_permille(kUnchanged);
  return {.begin = Payload::of(std::move(spike)),
          .end = Payload::of(std::move(usual)),
          .named = fault.load_spike().traffic(),
          .named_path = "loadSpike.traffic"};
}

}  // namespace troupe::config
