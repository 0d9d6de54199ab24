#include "actors/kai/group_reporter.h"

#include <charconv>
#include <optional>
#include <utility>

#include "actors/kai/names.h"
#include "actors/scheduling/pod_status.h"
#include "messages/facts.pb.h"
#include "messages/labels.h"
#include "messages/timestamp.h"

namespace troupe::kai {
namespace {

PodGroup partial_of(const PodGroup& group) {
  PodGroup partial;
  partial.mutable_metadata()->set_name(group.metadata().name());
  partial.mutable_metadata()->set_namespace_(group.metadata().namespace_());
  return partial;
}

std::string next_transition(const PodGroup& group) {
  const auto& conditions = group.status().scheduling_conditions();
  if (conditions.empty()) return "1";
  const std::string& last = conditions.rbegin()->transition_id();
  std::uint32_t id = 0;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), id);
  return std::to_string(error == std::errc{} && end == last.data() + last.size() ? id + 1 : 1);
}

bool same(const SchedulingCondition& a, const SchedulingCondition& b) {
  return a.type() == b.type() && a.node_pool() == b.node_pool() && a.reason() == b.reason() &&
         a.message() == b.message() && a.status() == b.status();
}

SchedulingCondition condition_of(const schedulers::KaiReport& report) {
  SchedulingCondition condition;
  condition.set_type("UnschedulableOnNodePool");
  condition.set_node_pool(std::string(kDefaultNodePool));
  condition.set_reason("Unschedulable");
  condition.set_message(report.message());
  condition.set_status("True");
  for (const auto& reason : report.reasons()) {
    UnschedulableReason& added = *condition.add_reasons();
    added.set_reason(reason.reason());
    added.set_message(reason.message());
  }
  return condition;
}

}  // namespace

void GroupReporter::report(Context& context, const schedulers::KaiDecided& decided) {
  saying_.clear();
  for (const schedulers::KaiReport& report : decided.reports()) {
    if (const auto group = view_.group(report.group())) report_group(context, report, *group);
  }
  said_ = std::move(saying_);
}

bool GroupReporter::is_news(const std::string& about, const std::string& message) {
  saying_[about] = message;
  const auto at = said_.find(about);
  return at == said_.end() || at->second != message;
}

void GroupReporter::report_group(Context& context, const schedulers::KaiReport& report,
                                 const PodGroup& group) {
  set_stale_mark(context, report, group);
  if (report.message().empty()) return;
  const std::string reason = report.not_ready() ? "NotReady" : "Unschedulable";
  if (is_news("group/" + report.group(), report.message())) {
    events_.record(context, group, {"Normal", reason, report.message()});
  }
  if (report.not_ready()) return;
  const bool mark = !group.spec().has_mark_unschedulable() || group.spec().mark_unschedulable();
  for (const auto& pod : report.pods()) report_pod(context, pod, mark);
  if (!report.partly_placed()) set_condition(context, report, group);
}

void GroupReporter::report_pod(Context& context, const schedulers::KaiReport::Pod& report,
                               bool mark) {
  const auto pod = view_.pod(report.pod());
  if (!pod || pod->metadata().uid() != report.uid()) return;
  if (is_news("pod/" + report.uid(), report.message())) {
    events_.record(context, *pod, {"Warning", "Unschedulable", report.message()});
    context.emit(scheduling::unschedulable_fact(*pod, report.message()));
  }
  if (!mark) return;
  auto patch =
      scheduling::not_scheduled_patch(*pod, "Unschedulable", report.message(), context.now());
  if (!patch) return;
  api_.patch(context, std::move(*patch), {.subresource = "status", .strategic = true},
             [](Context&, const ApiResult&) {});
}

void GroupReporter::set_condition(Context& context, const schedulers::KaiReport& report,
                                  const PodGroup& group) {
  SchedulingCondition condition = condition_of(report);
  const auto& conditions = group.status().scheduling_conditions();
  if (!conditions.empty() && same(*conditions.rbegin(), condition)) return;
  condition.set_transition_id(next_transition(group));
  condition.set_last_transition_time(to_ns(context.now()));
  PodGroup partial = partial_of(group);
  for (const SchedulingCondition& other : conditions) {
    // One entry for each node pool, the newest last.
    if (other.node_pool() != condition.node_pool()) {
      *partial.mutable_status()->add_scheduling_conditions() = other;
    }
  }
  *partial.mutable_status()->add_scheduling_conditions() = std::move(condition);
  api_.patch(context, std::move(partial), {.subresource = "status"},
             [](Context&, const ApiResult&) {});
}

void GroupReporter::set_stale_mark(Context& context, const schedulers::KaiReport& report,
                                   const PodGroup& group) {
  std::optional<SimTime> since;
  if (report.has_stale_since()) since = from_ns(report.stale_since());
  view_.remember_stale(report.group(), since);
  std::string wanted;
  if (since) {
    wanted = print_timestamp(
        SimTime(std::chrono::floor<std::chrono::seconds>(since->time_since_epoch())));
    if (is_news("stale/" + report.group(), wanted)) {
      events_.record(context, group, {"Normal", "StaleJob", "Job is stale since " + wanted});
    }
  }
  const std::string_view is = label_or(group.metadata().annotations(), kStaleAnnotation);
  if (is == wanted) return;
  PodGroup partial = partial_of(group);
  PatchOptions options;
  if (wanted.empty()) {
    options.clear.push_back("metadata.annotations." + std::string(kStaleAnnotation));
  } else {
    set_label(*partial.mutable_metadata()->mutable_annotations(), kStaleAnnotation, wanted);
  }
  api_.patch(context, std::move(partial), options, [](Context&, const ApiResult&) {});
}

}  // namespace troupe::kai
