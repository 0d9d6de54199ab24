#include "emulator/report/summary.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace troupe {
namespace {

using nlohmann::json;

template <class S>
json percentiles_ms(const S& samples) {
  json result = json::object();
  for (const std::uint32_t percent : {50u, 90u, 99u}) {
    const std::optional<std::int64_t> value = samples.percentile(percent);
    result["p" + std::to_string(percent)] =
        value ? json(static_cast<double>(*value) / 1e6) : json();
  }
  return result;
}

json ratio(double numerator, double denominator) {
  return denominator > 0 ? json(numerator / denominator) : json();
}

double seconds_of(SimTime time) {
  return static_cast<double>(to_ns(time)) / 1e9;
}

json requests_json(const RequestAccount& account) {
  const RequestTotals& t = account.totals();
  return {{"total", t.total},          {"completed", t.completed}, {"timed_out", t.timed_out},
          {"rejected", t.rejected},    {"failed", t.failed},       {"unfinished", t.unfinished()},
          {"within_slo", t.within_slo}};
}

json routers_json(const RequestAccount& account) {
  json routers = json::object();
  for (const auto& [service, t] : account.routers()) {
    routers[service] = {{"received", t.received()},   {"completed", t.completed()},
                        {"cancelled", t.cancelled()}, {"rejected", t.rejected()},
                        {"failed", t.failed()},       {"open", t.open()}};
  }
  return routers;
}

json live_json(const LiveFacts& live) {
  json lateness = json::object();
  json late = json::array();
  for (const auto& [name, one] : live.lateness) {
    lateness[name] = {{"p50", static_cast<double>(one.p50_ns) / 1e6},
                      {"p99", static_cast<double>(one.p99_ns) / 1e6}};
    if (one.tolerable_ns && one.p99_ns > *one.tolerable_ns) late.push_back(name);
  }
  return {{"speed", live.speed},
          {"lateness_ms", lateness},
          {"late", late},
          {"worker_deaths", live.worker_deaths},
          {"store_transactions", live.store_transactions}};
}

json gpu_minutes_json(const GpuAccount& account) {
  json minutes = {{"provisioned", to_minutes(account.provisioned())}};
  for (std::size_t i = 0; i < kGpuClassNames.size(); ++i) {
    minutes[std::string(kGpuClassNames[i])] = to_minutes(account.in(static_cast<GpuClass>(i)));
  }
  minutes["idle"] = to_minutes(account.in(GpuClass::Ready) + account.in(GpuClass::Unallocated));
  return minutes;
}

json cluster_json(const ClusterAccount& account) {
  json autoscalers = json::object();
  for (const auto& [name, t] : account.autoscalers()) {
    autoscalers[name] = {
        {"decisions", t.decisions},
        {"scale_ups", t.scale_ups},
        {"scale_downs", t.scale_downs},
        {"first_scale_up_s", t.first_scale_up ? json(seconds_of(*t.first_scale_up)) : json()},
        {"first_signal", t.first_signal},
        {"peak", t.peak},
        {"peak_s", seconds_of(t.peak_at)}};
  }
  const PodTotals& pods = account.pods();
  const NodeTotals& nodes = account.nodes();
  json unschedulable = json::object();
  for (const auto& [pod, why] : account.unschedulable()) unschedulable[pod] = why;
  return {{"unschedulable", unschedulable},
          {"pods",
           {{"created", pods.created},
            {"scheduled", pods.scheduled},
            {"running", pods.running},
            {"evicted", pods.evicted},
            {"failed", pods.failed}}},
          {"nodes",
           {{"initial", nodes.initial},
            {"launched", nodes.launched},
            {"terminated", nodes.terminated},
            {"interrupted", nodes.interrupted}}},
          {"autoscalers", autoscalers},
          {"faults", account.faults()},
          {"extrapolated", account.extrapolated()}};
}

json checks_json(const Summary& summary) {
  json invariants = json::object();
  for (const auto& [name, outcome] : summary.invariants) {
    invariants[name] = {{"checked", outcome.checked}, {"violations", outcome.violations}};
    if (outcome.violations > 0) invariants[name]["first"] = outcome.first;
  }
  json expectations = json::array();
  for (const ExpectationOutcome& outcome : summary.expectations) {
    expectations.push_back({{"name", outcome.name},
                            {"pass", outcome.pass},
                            {"observed", outcome.observed},
                            {"expected", outcome.expected}});
  }
  return {{"invariants", invariants}, {"expectations", expectations}};
}

}  // namespace

Accounts::Accounts(const plan::RunPlan& plan)
    : gangs({plan.gangs().begin(), plan.gangs().end()}), gpus(gangs), requests(plan.slo()) {}

void Accounts::on_fact(const FactRecord& record) {
  gangs.on_fact(record);
  gpus.on_fact(record);
  requests.on_fact(record);
  cluster.on_fact(record);
}

void Accounts::finish(SimTime end) {
  gangs.finish(end);
  gpus.finish(end);
  cluster.finish(end);
}

json Summary::to_json(const Accounts& accounts) const {
  const double virtual_seconds =
      run.interrupted ? seconds_of(run.end) : static_cast<double>(plan.duration_ns()) / 1e9;
  const bool crosses = run.processes > 1 && run.lookahead_ns > 0;
  const RequestTotals& totals = accounts.requests.totals();
  const auto good = static_cast<double>(totals.within_slo);
  const std::optional<double> score = score_of(plan, accounts);
  json result = {
      {"scenario", plan.scenario()},
      {"question", plan.question()},
      {"variant", plan.variant()},
      {"seed", plan.seed()},
      {"digest", run.digest},
      {"mode", run.live ? "live" : "virtual"},
      {"live", run.live ? live_json(*run.live) : json()},
      {"processes", run.processes},
      {"lookahead_ms", crosses ? json(static_cast<double>(run.lookahead_ns) / 1e6) : json()},
      {"windows", run.processes > 1 ? json(run.windows) : json()},
      {"transport", run.processes > 1 || run.live ? json({{"refused_frames", run.refused_frames},
                                              {"refused_peers", run.refused_peers}})
                                      : json()},
      {"interrupted", run.interrupted},
      {"virtual_seconds", virtual_seconds},
      {"wall_seconds", run.wall_seconds},
      {"messages_delivered", run.messages_delivered},
      {"requests", requests_json(accounts.requests)},
      {"routers", routers_json(accounts.requests)},
      {"ttft_ms", percentiles_ms(accounts.requests.ttft())},
      {"itl_ms", percentiles_ms(accounts.requests.itl())},
      {"e2e_ms", percentiles_ms(accounts.requests.e2e())},
      {"share_within_slo", ratio(good, static_cast<double>(totals.total))},
      {"goodput_rps", ratio(good, virtual_seconds)},
      {"prefix_cache",
       {{"queries", accounts.requests.prefix_queries()},
        {"hits", accounts.requests.prefix_hits()}}},
      {"preemptions", accounts.requests.preemptions()},
      {"gpu_minutes", gpu_minutes_json(accounts.gpus)},
      {"cost_usd", accounts.cluster.cost_usd()},
      {"usd_per_1000_good_requests", ratio(1000 * accounts.cluster.cost_usd(), good)},
      {"score", score ? json(*score) : json()},
      {"defects", run.defects},
      {"gangs",
       {{"admitted", accounts.gangs.admitted()},
        {"waiting", accounts.gangs.waiting()},
        {"partial_seconds", static_cast<double>(accounts.gangs.partial().count()) / 1e9}}},
  };
  result.update(cluster_json(accounts.cluster));
  result.update(checks_json(*this));
  return result;
}

std::optional<double> score_of(const plan::RunPlan& plan, const Accounts& accounts) {
  const RequestTotals& totals = accounts.requests.totals();
  const double serving_seconds =
      60 * (to_minutes(accounts.gpus.provisioned()) - to_minutes(accounts.gpus.not_serving()));
  if (totals.total == 0 || plan.score_rates().empty() || serving_seconds <= 0) return std::nullopt;
  double useful_seconds = 0;
  for (const plan::ScoreRate& rate : plan.score_rates()) {
    const auto good = accounts.requests.good_tokens().find(rate.service());
    if (good == accounts.requests.good_tokens().end()) continue;
    useful_seconds += static_cast<double>(good->second.prompt) * rate.prompt_gpu_seconds() +
                      static_cast<double>(good->second.output) * rate.output_gpu_seconds();
  }
  const double share = static_cast<double>(totals.within_slo) / static_cast<double>(totals.total);
  return std::min(100.0, 100 * share * useful_seconds / serving_seconds);
}

}  // namespace troupe
