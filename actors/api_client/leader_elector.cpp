#include "actors/api_client/leader_elector.h"

#include <utility>

#include "messages/facts.pb.h"

namespace troupe {
namespace {

/// client-go leaderelection.JitterFactor: a candidate waits between one and 2.2 retry periods.
constexpr std::int64_t kJitterPercent = 120;

Duration jittered(const Context& context, Duration period, std::uint64_t attempt) {
  const std::int64_t span = period.count() / 100 * kJitterPercent;
  const std::uint64_t draw = context.random("leader election", attempt);
  return period + Duration(static_cast<std::int64_t>(draw % static_cast<std::uint64_t>(span)));
}

}  // namespace

LeaderElector::LeaderElector(ApiClient& client, LeaderElectorOptions options)
    : client_(client), options_(std::move(options)) {}

void LeaderElector::start(Context& context) {
  attempt(context);
}

// client-go's release(): nobody holds the lease, and it is over in a second.
void LeaderElector::shut_down(Context& context) {
  ++loop_;
  if (!std::exchange(leading_, false) || !options_.release_on_cancel || !observed_) return;
  k8s::Lease lease = next_lease(context.now());
  lease.mutable_spec()->set_holder_identity("");
  lease.mutable_spec()->set_lease_duration_seconds(1);
  lease.mutable_spec()->set_acquire_time(to_ns(context.now()));
  client_.update(context, std::move(lease), [](Context&, const ApiResult&) {});
}

void LeaderElector::hang(Context&) {
  ++loop_;
  hangs_ = true;
}

// What it finds first is that its deadline is long over.
void LeaderElector::go_on(Context& context) {
  if (!std::exchange(hangs_, false)) return;
  if (leading_) watch_deadline(context);
  attempt(context);
}

ApiCallback LeaderElector::unless_hung(Context& context, Ended then) {
  return [this, then, sent = context.now(), loop = loop_](Context& later, const ApiResult& result) {
    if (loop == loop_) (this->*then)(later, result, sent);
  };
}

void LeaderElector::attempt_after(Context& context, Duration delay, std::string_view purpose) {
  client_.timers().after(context, delay, purpose, [this, loop = loop_](Context& later) {
    if (loop == loop_) attempt(later);
  });
}

// The leader renews on what it last read, one request; everyone else reads first.
void LeaderElector::attempt(Context& context) {
  ++attempts_;
  if (leading_ && observed_) {
    write(context, false);
    return;
  }
  read(context);
}

void LeaderElector::read(Context& context) {
  client_.get(context, key_for<k8s::Lease>(options_.name_space, options_.name),
              unless_hung(context, &LeaderElector::on_get));
}

void LeaderElector::on_get(Context& context, const ApiResult& result, SimTime) {
  if (result.not_found()) {
    observed_ = nullptr;
    write(context, true);
    return;
  }
  if (!result.ok()) {
    again(context);
    return;
  }
  observe(context, result.as<k8s::Lease>());
  const bool free = holder_.empty() || holder_ == options_.identity ||
                    context.now() > observed_at_ + options_.lease_duration;
  if (free) {
    write(context, false);
  } else {
    again(context);
  }
}

// What counts is when this replica saw the lease change, by its own clock, not the times written in
// it.
void LeaderElector::observe(Context& context, const std::shared_ptr<const k8s::Lease>& lease) {
  const bool changed = !observed_ || observed_->metadata().resource_version() !=
                                         lease->metadata().resource_version();
  if (changed) observed_at_ = context.now();
  observed_ = lease;
  holder_ = lease->spec().holder_identity();
}

k8s::Lease LeaderElector::next_lease(SimTime now) const {
  k8s::Lease lease;
  if (observed_) lease = *observed_;
  lease.mutable_metadata()->set_namespace_(options_.name_space);
  lease.mutable_metadata()->set_name(options_.name);
  k8s::LeaseSpec& spec = *lease.mutable_spec();
  if (spec.holder_identity() != options_.identity) {
    if (observed_) spec.set_lease_transitions(spec.lease_transitions() + 1);
    spec.set_acquire_time(to_ns(now));
  }
  spec.set_holder_identity(options_.identity);
  spec.set_renew_time(to_ns(now));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.lease_duration);
  spec.set_lease_duration_seconds(static_cast<std::int32_t>(seconds.count()));
  return lease;
}

void LeaderElector::write(Context& context, bool create) {
  auto done = unless_hung(context, &LeaderElector::on_write);
  if (create) {
    client_.create(context, next_lease(context.now()), std::move(done));
  } else {
    client_.update(context, next_lease(context.now()), std::move(done));
  }
}

void LeaderElector::on_write(Context& context, const ApiResult& result, SimTime sent) {
  if (!result.ok()) {
    // A renewal that lost a race learns from the lease itself who won; without it the next try
    // would lose again.
    const bool stale = leading_ && observed_;
    observed_ = stale ? nullptr : observed_;
    again(context);
    return;
  }
  observe(context, result.as<k8s::Lease>());
  renewed_at_ = sent;
  if (!leading_) {
    leading_ = true;
    facts::LeaseAcquired acquired;
    acquired.set_lease(options_.name_space + "/" + options_.name);
    acquired.set_holder(options_.identity);
    acquired.set_transitions(observed_->spec().lease_transitions());
    context.emit(Payload::of(std::move(acquired)));
    if (started_) started_(context);
  }
  watch_deadline(context);
  attempt_after(context, options_.retry_period, "renew lease");
}

void LeaderElector::watch_deadline(Context& context) {
  const Duration left = renewed_at_ + options_.renew_deadline - context.now();
  client_.timers().after(context, std::max(Duration::zero(), left), "renew deadline",
                         [this, renewed = renewed_at_](Context& later) {
                           if (leading_ && !hangs_ && renewed == renewed_at_) stop_leading(later);
                         });
}

void LeaderElector::again(Context& context) {
  const Duration delay =
      leading_ ? options_.retry_period : jittered(context, options_.retry_period, attempts_);
  attempt_after(context, delay, "acquire lease");
}

void LeaderElector::stop_leading(Context& context) {
  leading_ = false;
  facts::LeaseLost lost;
  lost.set_lease(options_.name_space + "/" + options_.name);
  lost.set_holder(options_.identity);
  context.emit(Payload::of(std::move(lost)));
  if (stopped_) stopped_(context);
}

}  // namespace troupe
