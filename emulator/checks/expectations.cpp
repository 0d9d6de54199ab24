#include "emulator/checks/expectations.h"

#include <algorithm>

#include "emulator/manifests/writer.h"
#include "messages/facts.pb.h"
#include "messages/units.h"

namespace troupe::checks {
namespace {

using nlohmann::json;

const std::string kCount = "count";

// The converter has checked the form.
Duration length(const std::string& text) {
  return parse_duration(text).value_or(Duration::zero());
}

SimTime moment(const std::string& text) {
  return kTimeZero + length(text);
}

bool is_span(const config::Expectation& spec) {
  return !spec.always().empty() || !spec.never().empty();
}

std::string title_of(const config::Expectation& spec) {
  if (!spec.name().empty()) return spec.name();
  if (!spec.violates().empty()) return "violates " + spec.violates();
  return spec.select() + " " + spec.field();
}

std::string expected_of(const config::Expectation& spec, const Comparison& comparison) {
  std::string text = comparison.describe();
  if (!spec.at().empty()) text += " at " + spec.at();
  if (!spec.by().empty()) text += " by " + spec.by();
  if (!spec.always().empty()) text += " always from " + spec.always(0) + " to " + spec.always(1);
  if (!spec.never().empty()) text += " never from " + spec.never(0) + " to " + spec.never(1);
  if (!spec.within().empty()) text += " within " + spec.within() + " after " + spec.after();
  return text;
}

}  // namespace

bool is_fact(std::string_view name) {
  const google::protobuf::FileDescriptor& file = *facts::PodBound::descriptor()->file();
  return file.FindMessageTypeByName(std::string(name)) != nullptr;
}

Expectations::Expectations(const plan::RunPlan& plan) {
  for (const config::Expectation& spec : plan.expectations()) {
    Check check;
    check.spec = spec;
    check.to = from_ns(plan.duration_ns());
    if (spec.violates().empty()) {
      check.selection = *parse_selection(spec.select());
      check.comparison = *parse_comparison(spec);
    }
    if (is_span(spec)) {
      const auto& span = spec.always().empty() ? spec.never() : spec.always();
      check.from = moment(span.at(0));
      check.to = moment(span.at(1));
    } else if (!spec.at().empty()) {
      check.from = check.to = moment(spec.at());
    } else if (!spec.by().empty()) {
      check.to = moment(spec.by());
    }
    check.armed = spec.after().empty();
    checks_.push_back(std::move(check));
  }
}

void Expectations::on_fact(const FactRecord& record) {
  pass_time(record.key.time);
  for (Check& check : checks_) {
    if (!check.armed && record.fact.type_name() == check.spec.after()) {
      check.armed = true;
      check.from = now_;
      check.to = now_ + length(check.spec.within());
      look(check, now_);
    }
  }
  const auto* committed = record.fact.as<facts::ObjectCommitted>();
  if (committed == nullptr || record.fact.attachments().empty()) return;
  const google::protobuf::Message& object = record.fact.attachments().front().message();
  const std::string name = committed->namespace_() + "/" + committed->name();
  for (Check& check : checks_) {
    if (check.selection.kind != committed->kind()) continue;
    update(check, name, committed->deleted() ? nullptr : &object);
    look(check, now_);
  }
}

void Expectations::on_checkpoint(SimTime time, const Digest&) {
  pass_time(time);
}

// What was true until now is judged before anything changes: `at` and the start of a span look at
// the state that the events of their own moment left.
void Expectations::pass_time(SimTime now) {
  if (now == now_) return;
  for (Check& check : checks_) {
    if (check.verdict || !check.spec.violates().empty() || check.selection.summary) continue;
    if (!check.spec.at().empty() && check.to < now) decide(check, holds(check));
    const bool has_start = is_span(check.spec) || !check.spec.by().empty();
    if (has_start && now_ <= check.from && check.from < now) look(check, check.from);
  }
  now_ = now;
}

void Expectations::update(Check& check, const std::string& name,
                          const google::protobuf::Message* object) {
  if (object == nullptr || !check.selection.matches(*object)) {
    check.objects.erase(name);
    return;
  }
  bool held = true;
  if (check.spec.field() != kCount) {
    check.last = value_at(json::parse(manifests::to_json(*object, -1)), check.spec.field());
    held = check.comparison.holds(check.last);
  }
  check.objects[name] = held;
}

void Expectations::look(Check& check, SimTime now) {
  if (check.verdict || !check.armed || now < check.from || now > check.to) return;
  const bool held = holds(check);
  const config::Expectation& spec = check.spec;
  if (!spec.always().empty() && !held) decide(check, false);
  if (!spec.never().empty() && held) decide(check, false);
  if ((!spec.by().empty() || !spec.within().empty()) && held) decide(check, true);
}

void Expectations::decide(Check& check, bool verdict) {
  check.verdict = verdict;
  check.observed =
      observed(check) + " at " + std::to_string(static_cast<double>(to_ns(now_)) / 1e9) + " s";
}

bool Expectations::holds(const Check& check) const {
  if (check.spec.field() == kCount) return check.comparison.holds(check.objects.size());
  return !check.objects.empty() && std::all_of(check.objects.begin(), check.objects.end(),
                                               [](const auto& object) { return object.second; });
}

std::string Expectations::observed(const Check& check) const {
  if (check.spec.field() == kCount) return std::to_string(check.objects.size());
  if (check.objects.empty()) return "no such object";
  const auto holding = std::count_if(check.objects.begin(), check.objects.end(),
                                     [](const auto& object) { return object.second; });
  if (check.objects.size() == 1) return check.last.dump();
  return "holds of " + std::to_string(holding) + " of " + std::to_string(check.objects.size()) +
         ", last " + check.last.dump();
}

std::vector<ExpectationOutcome> Expectations::outcomes(
    SimTime end, const json& summary, const std::map<std::string, InvariantOutcome>& violated) {
  pass_time(end + Duration(1));
  std::vector<ExpectationOutcome> result;
  for (Check& check : checks_) {
    ExpectationOutcome outcome;
    outcome.name = title_of(check.spec);
    if (!check.spec.violates().empty()) {
      const auto found = violated.find(check.spec.violates());
      outcome.pass = found != violated.end() && found->second.violations > 0;
      outcome.observed = outcome.pass ? found->second.first : "no violation";
      outcome.expected = "a violation";
    } else if (check.selection.summary) {
      const json value = value_at(summary, check.spec.field());
      outcome.pass = check.comparison.holds(value);
      outcome.observed = value.dump();
      outcome.expected = expected_of(check.spec, check.comparison);
    } else {
      // Undecided: a span in which nothing went wrong holds; a moment that never came does not.
      const bool waits = !check.spec.by().empty() || !check.spec.within().empty();
      const bool undecided = is_span(check.spec) || (!waits && holds(check));
      outcome.pass = check.verdict.value_or(undecided);
      outcome.observed = check.verdict ? check.observed : observed(check);
      outcome.expected = expected_of(check.spec, check.comparison);
    }
    result.push_back(std::move(outcome));
  }
  return result;
}

}  // namespace troupe::checks
