#include "actors/telemetry/metrics_adapter.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>

namespace troupe::telemetry {
namespace {

// prometheus-adapter, generated rules for names that end in _total: rate over five minutes.
constexpr Duration kCounterWindow = std::chrono::minutes(5);

// The duty cycles of NVIDIA's dcgm-exporter are percentages of one GPU each.
bool is_duty_cycle(std::string_view series) {
  return series == "DCGM_FI_DEV_GPU_UTIL" || series == "DCGM_FI_DEV_MEM_COPY_UTIL";
}

MetricRule rule_on(const std::string& metric, const std::string& series) {
  MetricRule rule;
  rule.set_metric(metric);
  rule.set_series(series);
  rule.set_aggregation(is_duty_cycle(series) ? MetricRule::AVERAGE : MetricRule::SUM);
  return rule;
}

// API paths have no ':', so exporters' names are written with '_' or without their prefix.
bool is_alias(std::string_view metric, std::string_view series) {
  const std::size_t colon = series.find(':');
  if (colon == std::string_view::npos) return false;
  if (series.substr(colon + 1) == metric) return true;
  return series.size() == metric.size() && series.substr(0, colon) == metric.substr(0, colon) &&
         metric[colon] == '_' && series.substr(colon + 1) == metric.substr(colon + 1);
}

class Aggregate {
 public:
  explicit Aggregate(MetricRule::Aggregation how) : how_(how) {}

  void add(double value) {
    result_ = count_ == 0                   ? value
              : how_ == MetricRule::MAXIMUM ? std::max(result_, value)
                                            : result_ + value;
    ++count_;
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] double result() const {
    return how_ == MetricRule::AVERAGE ? result_ / static_cast<double>(count_) : result_;
  }

 private:
  MetricRule::Aggregation how_;
  double result_ = 0.0;
  std::int64_t count_ = 0;
};

std::optional<double> value_of(const MetricRule& rule, const Points& points, SimTime now) {
  if (rule.rate_over_ns() > 0) return rate_over(points, now, Duration{rule.rate_over_ns()});
  if (rule.average_over_ns() > 0) {
    return average_over(points, now, Duration{rule.average_over_ns()});
  }
  const std::optional<Point> point = latest(points, now);
  return point ? std::optional(point->value) : std::nullopt;
}

// Quantities have thousandths; the adapter cuts off what is finer, and a NaN is none.
std::int64_t to_milli(double value) {
  constexpr double kMost = 9.2e18;
  const double milli = std::trunc(value * 1000.0);
  if (std::isnan(milli)) return 0;
  return static_cast<std::int64_t>(std::clamp(milli, -kMost, kMost));
}

MetricValue metric_value(const Aggregate& aggregate, SimTime now, const MetricRule& rule) {
  MetricValue value;
  value.set_milli(to_milli(aggregate.result()));
  value.set_timestamp_ns(to_ns(now));  // of the query: the adapter does not know the sample's age
  value.set_window_ns(std::max(rule.rate_over_ns(), rule.average_over_ns()));
  return value;
}

MetricsReply reply_to(const MetricsQuery& query) {
  MetricsReply reply;
  reply.set_request_id(query.request_id());
  reply.set_code(200);
  return reply;
}

MetricsReply not_found(const MetricsQuery& query, const std::string& whose) {
  MetricsReply reply = reply_to(query);
  reply.set_code(404);
  reply.set_message("the server could not find the metric " + query.metric() + " for " + whose);
  return reply;
}

bool in_namespace(const LabelSet& labels, const std::string& wanted, bool required) {
  const std::string* name = exported_label(labels, "namespace");
  return name == nullptr ? !required : *name == wanted;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

MetricsAdapter::MetricsAdapter(const SeriesStore& store, std::vector<MetricRule> rules)
    : store_(store), rules_(std::move(rules)) {}

std::optional<MetricRule> MetricsAdapter::rule_for(const std::string& metric) const {
  for (const MetricRule& rule : rules_) {
    if (rule.metric() == metric) return rule;
  }
  if (store_.find(metric) != nullptr) return rule_on(metric, metric);
  const std::string counter = metric + "_total";
  for (const auto& [name, family] : store_.families()) {
    if (is_alias(metric, name)) return rule_on(metric, name);
    if (name == counter || is_alias(counter, name)) {
      MetricRule rule = rule_on(metric, name);
      rule.set_rate_over_ns(kCounterWindow.count());
      return rule;
    }
  }
  return std::nullopt;
}

MetricsReply MetricsAdapter::for_pods(const MetricsQuery& query,
                                      const std::vector<std::string>& pods, SimTime now) const {
  const std::optional<MetricRule> rule = rule_for(query.metric());
  const SeriesStore::Family* family = rule ? store_.find(rule->series()) : nullptr;
  if (family == nullptr) return not_found(query, "pods");
  std::map<std::string, Aggregate> by_pod;
  for (const auto& [labels, series] : *family) {
    const std::string* pod = exported_label(labels, "pod");
    if (pod == nullptr || !std::binary_search(pods.begin(), pods.end(), *pod)) continue;
    if (!in_namespace(labels, query.namespace_(), true)) continue;
    if (!matches(query.metric_selector(), labels)) continue;
    const std::optional<double> value = value_of(*rule, *series, now);
    if (value) by_pod.try_emplace(*pod, rule->aggregation()).first->second.add(*value);
  }
  MetricsReply reply = reply_to(query);
  for (const auto& [pod, aggregate] : by_pod) {
    *reply.add_values() = metric_value(aggregate, now, *rule);
    reply.mutable_values()->rbegin()->set_pod(pod);
  }
  return reply;
}

MetricsReply MetricsAdapter::for_object(const MetricsQuery& query, SimTime now) const {
  const std::string kind = lower(query.object_kind());
  const std::optional<MetricRule> rule = rule_for(query.metric());
  const SeriesStore::Family* family = rule ? store_.find(rule->series()) : nullptr;
  if (family == nullptr) return not_found(query, kind);
  Aggregate aggregate(rule->aggregation());
  for (const auto& [labels, series] : *family) {
    const std::string* name = exported_label(labels, kind);
    if (name == nullptr || *name != query.object_name()) continue;
    if (!in_namespace(labels, query.namespace_(), false)) continue;
    if (!matches(query.metric_selector(), labels)) continue;
    if (const auto value = value_of(*rule, *series, now)) aggregate.add(*value);
  }
  if (aggregate.empty()) return not_found(query, kind);
  MetricsReply reply = reply_to(query);
  *reply.add_values() = metric_value(aggregate, now, *rule);
  return reply;
}

MetricsReply MetricsAdapter::external(const MetricsQuery& query, SimTime now) const {
  const std::optional<MetricRule> rule = rule_for(query.metric());
  const SeriesStore::Family* family = rule ? store_.find(rule->series()) : nullptr;
  MetricsReply reply = reply_to(query);
  if (family == nullptr) return reply;
  Aggregate aggregate(rule->aggregation());
  for (const auto& [labels, series] : *family) {
    if (!in_namespace(labels, query.namespace_(), false)) continue;
    if (!matches(query.metric_selector(), labels)) continue;
    if (const auto value = value_of(*rule, *series, now)) aggregate.add(*value);
  }
  if (!aggregate.empty()) *reply.add_values() = metric_value(aggregate, now, *rule);
  return reply;
}

}  // namespace troupe::telemetry
