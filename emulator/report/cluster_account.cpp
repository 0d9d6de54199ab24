#include "emulator/report/cluster_account.h"

namespace troupe {
namespace {

// What is there from the start says so at time 0; in a live run each host's events are a nanosecond
// apart.
constexpr SimTime kBuilt{std::chrono::microseconds(1)};

}  // namespace

void ClusterAccount::on_fact(const FactRecord& record) {
  const Payload& fact = record.fact;
  if (on_pod_fact(fact)) return;
  if (const auto* launched = fact.as<facts::InstanceLaunched>()) {
    launch(record.key.time, *launched);
  } else if (const auto* ended = fact.as<facts::InstanceTerminated>()) {
    terminate(record.key.time, ended->instance());
  } else if (fact.as<facts::InstanceInterrupted>() != nullptr) {
    ++nodes_.interrupted;
  } else if (const auto* synced = fact.as<facts::AutoscalerSynced>()) {
    ++autoscalers_[synced->autoscaler()].decisions;
  } else if (const auto* decision = fact.as<facts::ScalingDecision>()) {
    scale(record.key.time, *decision);
  } else if (const auto* fault = fact.as<facts::FaultInjected>()) {
    ++faults_[fault->kind()];
  } else if (const auto* pair = fact.as<facts::ModelExtrapolated>()) {
    extrapolated_.insert(pair->model() + " on " + pair->gpu() + " x" +
                         std::to_string(pair->tensor_parallel()));
  }
}

void ClusterAccount::on_scheduling_fact(const Payload& fact) {
  if (const auto* refused = fact.as<facts::PodUnschedulable>()) {
    waiting_[refused->uid()] = {refused->namespace_() + "/" + refused->name(), refused->message()};
  } else if (const auto* bound = fact.as<facts::PodBound>()) {
    waiting_.erase(bound->uid());
  } else if (const auto* deleted = fact.as<facts::PodDeleted>()) {
    waiting_.erase(deleted->uid());
  }
}

std::map<std::string, std::string> ClusterAccount::unschedulable() const {
  std::map<std::string, std::string> by_name;
  for (const auto& [uid, pod] : waiting_) by_name[pod.name] = pod.why;
  return by_name;
}

bool ClusterAccount::on_pod_fact(const Payload& fact) {
  on_scheduling_fact(fact);
  if (fact.as<facts::PodCreated>() != nullptr) {
    ++pods_.created;
  } else if (fact.as<facts::PodBound>() != nullptr) {
    ++pods_.scheduled;
  } else if (const auto* started = fact.as<facts::PodStarted>()) {
    if (started_.insert(started->uid()).second) ++pods_.running;
  } else if (fact.as<facts::PodEvicted>() != nullptr) {
    ++pods_.evicted;
  } else if (const auto* finished = fact.as<facts::PodFinished>()) {
    if (finished->phase() == "Failed") ++pods_.failed;
  } else {
    return false;
  }
  return true;
}

void ClusterAccount::scale(SimTime now, const facts::ScalingDecision& fact) {
  AutoscalerTotals& totals = autoscalers_[fact.autoscaler()];
  if (fact.to() > totals.peak) {
    totals.peak = fact.to();
    totals.peak_at = now;
  }
  if (fact.to() <= fact.from()) {
    ++totals.scale_downs;
    return;
  }
  ++totals.scale_ups;
  if (totals.first_scale_up) return;
  totals.first_scale_up = now;
  totals.first_signal = fact.signal();
}

void ClusterAccount::finish(SimTime end) {
  for (auto& [id, instance] : instances_) {
    charge(end, instance);
    instance.launched = end;
  }
}

double ClusterAccount::cost_usd() const {
  constexpr std::int64_t kNanosPerHour = 3'600'000'000'000;
  const auto micro_usd = static_cast<std::int64_t>(cost_micro_usd_ns_per_hour_ / kNanosPerHour);
  return static_cast<double>(micro_usd) / 1e6;
}

void ClusterAccount::launch(SimTime now, const facts::InstanceLaunched& fact) {
  const auto [instance, is_new] =
      instances_.try_emplace(fact.instance(), Instance{now, fact.price_micro_usd_per_hour()});
  if (is_new) ++(now <= kBuilt ? nodes_.initial : nodes_.launched);
}

void ClusterAccount::terminate(SimTime now, const std::string& instance) {
  const auto found = instances_.find(instance);
  if (found == instances_.end()) return;
  charge(now, found->second);
  instances_.erase(found);
  ++nodes_.terminated;
}

void ClusterAccount::charge(SimTime until, const Instance& instance) {
  cost_micro_usd_ns_per_hour_ +=
      static_cast<Int128>((until - instance.launched).count()) * instance.price_micro_usd_per_hour;
}

}  // namespace troupe
