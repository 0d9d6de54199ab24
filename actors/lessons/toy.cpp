#include "actors/lessons/toy.h"

#include <algorithm>
#include <utility>

#include "messages/assert.h"
#include "messages/facts.pb.h"

namespace troupe::lessons {
namespace {

// The next multiple of `period` after `now`.
Duration next_multiple(Duration now, Duration period) {
  return (now / period + 1) * period;
}

}  // namespace

std::optional<std::string> problem_of(const ToyConfig& config) {
  if (!toy_policy_of(config.policy())) return "unknown policy '" + config.policy() + "'";
  if (config.loop_ns() <= 0) return "the policy's loop must be longer than 0";
  if (config.service_tick_ns() < 0) return "a negative service tick";
  if (config.service_tick_ns() > 0 && config.loop_ns() % config.service_tick_ns() != 0) {
    return "the policy's loop must be a multiple of the service tick";
  }
  if (config.replicas_min() < 1 || config.replicas_max() < config.replicas_min()) {
    return "the limits of replicas must be 1 or more and in order";
  }
  if (config.prefill_ns() < 0 || config.decode_ns() < 0 ||
      config.prefill_ns() + config.decode_ns() == 0) {
    return "a service must take time";
  }
  if (config.arrivals_ns_size() == 0) return "no arrivals";
  const auto& arrivals = config.arrivals_ns();
  if (!std::is_sorted(arrivals.begin(), arrivals.end()) || arrivals[0] < 0) {
    return "arrivals must rise from 0 or later";
  }
  return std::nullopt;
}

Toy::Toy(const ToyConfig& config, const std::string& name, std::uint64_t first_id)
    : config_(config),
      policy_(toy_policy_of(config.policy()).value_or(ToyPolicy::DutyCycle)),
      requests_(config, first_id, facts_),
      replicas_(config, name, facts_),
      target_(config.replicas_min()) {
  TROUPE_ASSERT(!problem_of(config), problem_of(config).value_or(""));
  loop_end_ = Duration{config.arrivals_ns(config.arrivals_ns_size() - 1) + config.linger_ns()};
  const Duration tick{config.service_tick_ns()};
  const bool on_tick = tick.count() == 0 || loop_end_ % tick == Duration{0};
  close_at_ = on_tick ? loop_end_ : next_multiple(loop_end_, tick);
}

bool Toy::is_service_point(Duration now) const {
  if (now >= loop_end_) return false;
  const Duration tick{config_.service_tick_ns()};
  return tick.count() == 0 || now % tick == Duration{0};
}

std::vector<Payload> Toy::advance(Duration now) {
  if (!begun_) replicas_.begin(now);
  begun_ = true;
  requests_.advance(now);
  const bool service_point = is_service_point(now);
  replicas_.advance(now, service_point);
  if (service_point) {
    replicas_.offer(now, [this, now] { return requests_.take(now); });
    if (now % Duration{config_.loop_ns()} == Duration{0}) scale(now);
    drop(now);
  }
  if (!closed_ && now >= close_at_) {
    replicas_.close(now);
    closed_ = true;
  }
  return std::exchange(facts_, {});
}

void Toy::scale(Duration now) {
  ToySignals signals{.waiting = requests_.waiting()};
  std::int64_t booting = 0;
  for (const ToyReplica& replica : replicas_.all()) {
    signals.ready += replica.is_ready() ? 1 : 0;
    signals.busy += replica.state == ReplicaState::Serving ? 1 : 0;
    booting += replica.is_booting() ? 1 : 0;
  }
  const std::int64_t from = target_;
  target_ = std::clamp<std::int64_t>(target_ + wanted_change(policy_, signals),
                                     config_.replicas_min(), config_.replicas_max());
  for (; signals.ready + booting < target_; ++booting) replicas_.launch(now);
  replicas_max_ = std::max(replicas_max_, signals.ready + booting);
  if (signals.ready > target_) replicas_.remove_free(now, Duration{config_.service_tick_ns()});
  if (target_ == from) return;
  facts::ScalingDecision fact;
  fact.set_autoscaler("toy/" + config_.policy());
  fact.set_target("Toy/" + config_.service());
  fact.set_from(from);
  fact.set_to(target_);
  fact.set_signal("busy=" + std::to_string(signals.busy) + " ready=" +
                  std::to_string(signals.ready) + " waiting=" + std::to_string(signals.waiting));
  facts_.push_back(Payload::of(std::move(fact)));
}

// A tick drops those that waited longer than their patience; without ticks they go the moment that
// it ends.
void Toy::drop(Duration now) {
  const Duration patience{config_.patience_ns()};
  requests_.drop_after(now, config_.service_tick_ns() > 0 ? patience + Duration{1} : patience);
}

std::optional<Duration> Toy::next(Duration now) const {
  std::optional<Duration> next = requests_.next_change();
  const auto consider = [&next, now](std::optional<Duration> at) {
    if (at && *at > now) next = std::min(next.value_or(*at), *at);
  };
  if (closed_) return next;
  consider(replicas_.next_change(now));
  consider(close_at_);
  if (now >= loop_end_) return next;
  consider(next_multiple(now, Duration{config_.loop_ns()}));
  if (config_.service_tick_ns() > 0) {
    consider(next_multiple(now, Duration{config_.service_tick_ns()}));
  } else {
    consider(requests_.next_drop(Duration{config_.patience_ns()}));
  }
  return next;
}

ToyTotals Toy::totals() const {
  return {requests_.started(), requests_.dropped(), static_cast<std::uint64_t>(requests_.waiting()),
          replicas_max_, replicas_.idle()};
}

}  // namespace troupe::lessons
