// How a console moves a run through virtual time, and what it says of where the run stands.
#include <charconv>
#include <cmath>

#include "emulator/console/command_table.h"
#include "emulator/console/console_steering.h"
#include "emulator/console/save_scenario.h"
#include "messages/units.h"

namespace troupe::console {
namespace {

std::optional<double> positive(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

std::string speed_text(const std::optional<double>& speed) {
  if (!speed) return "max";
  std::string text = std::to_string(*speed);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + "x";
}

}  // namespace

std::string ConsoleSteering::stand() const {
  return std::string(paused_ ? "paused" : "running") + " at " +
         seconds_text(to_ns(run_->timeline.now())) + "\n";
}

RunView ConsoleSteering::view() const {
  RunView run{*view_, plan_, run_->timeline.now()};
  run.state = paused_ ? "paused" : "running";
  run.speed = speed_text(pace_.speed());
  run.delivered = run_->timeline.delivered();
  run.refused_frames = server_.refused();
  run.consoles = peers_.size();
  run.workers = run_->timeline.workers();
  return run;
}

Answer ConsoleSteering::set_speed(const Words& words) {
  const char* usage = "usage: speed X (virtual seconds a wall second), or speed max";
  if (words.size() != 2) return bad_usage(usage);
  std::string text = words[1];
  std::optional<double> speed;
  if (text != "max") {
    if (text.ends_with("x")) text.pop_back();
    speed = positive(text);
    if (!speed) return bad_usage(usage);
  }
  options_.speed = speed;
  if (!run_->timeline.set_own_speed(speed)) pace_.set_speed(speed, run_->timeline.now());
  return {control::Reply::OK, "speed " + speed_text(speed) + "\n"};
}

Answer ConsoleSteering::step(const Caller& caller, const Words& words) {
  const char* usage = "usage: step [N | DURATION]";
  if (words.size() > 2) return bad_usage(usage);
  const std::string text = words.size() == 2 ? words[1] : "1";
  const SimTime now = run_->timeline.now();
  std::size_t moments = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), moments);
  if (error == std::errc() && end == text.data() + text.size()) {
    if (moments == 0 || moments > 1'000'000) return bad_usage(usage);
    pause();
    moments_ = moments;
  } else {
    const Result<Duration> length = parse_duration(text);
    if (!length || *length <= Duration::zero()) return bad_usage(usage);
    pause();
    pause_at_ = now + *length;
  }
  paused_ = false;
  pace_.resume(now);
  stepping_ = caller;
  return {};
}

std::optional<Answer> ConsoleSteering::rewind(const Caller& caller, const Words& words) {
  const char* usage = "usage: rewind TIME, as in `rewind 90s`";
  if (words.size() != 2) return bad_usage(usage);
  const Result<Duration> to = parse_duration(words[1]);
  if (!to) return bad_usage(to.error().message + "\n" + usage);
  const SimTime target = kTimeZero + *to;
  if (target > run_->timeline.now()) {
    return refused("the run stands at " + seconds_text(to_ns(run_->timeline.now())) +
                   ": it can be rewound to what was, `step` goes on");
  }
  pause();
  redo_.clear();
  for (const journal::Command& command : std::exchange(done_, {})) {
    if (command.at_ns() < to_ns(target)) redo_.push_back(command);
  }
  director_started_ = false;
  rewind_to_ = target;
  stepping_ = caller;
  order_ = Order{Order::What::Rewind, {}};
  return std::nullopt;
}

Answer ConsoleSteering::save(const Words& words) const {
  const bool named = words.size() == 2 && words.front() == "scenario";
  if (words.size() != 1 && !named) return bad_usage("usage: save [scenario] FILE");
  if (options_.scenario.empty()) return refused("this run did not come from a scenario file");
  const std::string& target = words.back();
  const Result<std::string> text =
      scenario_with(options_.scenario, options_.load, plan_.seed(), done_, target);
  if (!text) return refused(text.error().where + ": " + text.error().message);
  return {control::Reply::OK, "saved " + target + "\n", {{"saved", target}}, {{target, *text}}};
}

Answer ConsoleSteering::status(bool json) const {
  const RunView run = view();
  Answer answer;
  answer.json = {{"scenario", plan_.scenario()},
                 {"variant", plan_.variant()},
                 {"seed", plan_.seed()},
                 {"state", run.state},
                 {"speed", run.speed},
                 {"timeSeconds", static_cast<double>(to_ns(run.now)) / 1e9},
                 {"durationSeconds", static_cast<double>(plan_.duration_ns()) / 1e9},
                 {"messages", run.delivered},
                 {"commands", done_.size()},
                 {"digest", run_->timeline.digest().hex()}};
  if (json) return answer;
  for (const auto& [key, value] : answer.json.items()) {
    if (value == "") continue;
    answer.text +=
        key + ": " + (value.is_string() ? value.get<std::string>() : value.dump()) + "\n";
  }
  answer.json = nullptr;
  return answer;
}

}  // namespace troupe::console
