#include "emulator/console/console_steering.h"

#include <algorithm>

#include "emulator/config/fault_text.h"
#include "emulator/console/command_table.h"
#include "emulator/processes/apply_command.h"

namespace troupe::console {
namespace {

using std::chrono::milliseconds;

// A paused run looks at its signals so often.
constexpr auto kPausedPatience = milliseconds(100);
// Requests that are answered before the run goes on for a slice: a console that floods must not
// hold it up.
constexpr int kRequestsBetweenSlices = 200;

plan::RunPlan without_hosts(plan::RunPlan plan) {
  plan.clear_hosts();
  return plan;
}

}  // namespace

ConsoleSteering::ConsoleSteering(const plan::RunPlan& plan, ControlServer& server,
                                 SteeringOptions options)
    : plan_(without_hosts(plan)),
      fault_plan_(config::plan_for_faults(plan)),
      server_(server),
      options_(std::move(options)),
      streams_(server),
      paused_(options_.paused) {}

void ConsoleSteering::begin(Underway run) {
  run_.emplace(run);
  view_ = std::make_unique<ClusterView>();
  ends_ = std::make_unique<StepEnds>();
  run.timeline.add_observer(*view_);
  run.timeline.add_observer(*ends_);
  began_ = false;
}

Order ConsoleSteering::next() {
  if (!std::exchange(began_, true)) {
    pace_.set_speed(options_.speed, kTimeZero);
    return {Order::What::Run, kTimeZero};
  }
  if (auto order = redo()) return *order;
  answer_ended_steps();
  streams_.tell(view());
  const SimTime now = run_->timeline.now();
  if (pause_at_ && now >= *pause_at_) pause();
  if (moments_ != 0 && --moments_ == 0) pause();
  while (true) {
    if (stopped()) return {Order::What::End, {}};
    for (int i = 0; i < kRequestsBetweenSlices && !order_; ++i) {
      const milliseconds patience =
          i != 0 ? milliseconds(0) : (paused_ ? kPausedPatience : pace_.patience(now));
      const std::optional<ControlServer::Incoming> incoming = server_.receive(patience);
      if (!incoming) break;
      serve(*incoming);
    }
    if (order_) return *std::exchange(order_, std::nullopt);
    if (paused_) {
      run_->timeline.keep_alive();
    } else if (auto order = go_on()) {
      return *order;
    }
  }
}

std::optional<Order> ConsoleSteering::go_on() {
  const SimTime now = run_->timeline.now();
  if (moments_ != 0) {
    const std::optional<SimTime> due = run_->timeline.next_event();
    return Order{Order::What::Run, due.value_or(SimTime::max())};
  }
  std::optional<SimTime> end = pace_.slice(now);
  if (!end) return std::nullopt;
  if (pause_at_) end = std::min(*end, *pause_at_);
  return Order{Order::What::Run, *end};
}

// A rewound run does what was done by hand before it stands where it was sent.
std::optional<Order> ConsoleSteering::redo() {
  const SimTime now = run_->timeline.now();
  while (!redo_.empty()) {
    const SimTime at = from_ns(redo_.front().at_ns());
    if (at > now) return Order{Order::What::Run, at};
    do_command(redo_.front());
    redo_.erase(redo_.begin());
  }
  if (!rewind_to_) return std::nullopt;
  if (now < *rewind_to_) return Order{Order::What::Run, *rewind_to_};
  rewind_to_.reset();
  static_cast<void>(ends_->take());
  pause();
  return std::nullopt;
}

void ConsoleSteering::pause() {
  paused_ = true;
  pause_at_.reset();
  moments_ = 0;
  if (stepping_) reply(*std::exchange(stepping_, std::nullopt), {control::Reply::OK, stand()});
}

void ConsoleSteering::end() {
  if (rewind_to_) {
    for (const auto& [number, waiting] : std::exchange(waiting_, {})) {
      reply(waiting.caller, refused("the run was rewound before the API server had answered"));
    }
    return streams_.restart();
  }
  answer_ended_steps();
  streams_.tell(view());
  for (const auto& [number, waiting] : std::exchange(waiting_, {})) {
    reply(waiting.caller,
          {control::Reply::ENDED, "the run ended before the API server had answered"});
  }
  if (stepping_)
    reply(*std::exchange(stepping_, std::nullopt), {control::Reply::OK, "the run has ended\n"});
  streams_.end();
  control::Reply bye;
  bye.set_outcome(control::Reply::ENDED);
  for (const std::string& peer : peers_) static_cast<void>(server_.send(peer, bye));
}

// ---- commands

void ConsoleSteering::serve(const ControlServer::Incoming& incoming) {
  const control::Request& request = incoming.request;
  const Caller caller{incoming.peer, request.id(), request.json()};
  peers_.insert(caller.peer);
  Words words(request.words().begin(), request.words().end());
  if (request.what() == control::Request::CANCEL) return streams_.cancel(caller.peer, caller.id);
  if (request.what() == control::Request::COMPLETE) {
    Answer answer;
    for (const std::string& one : completions(*view_, words)) answer.text += one + "\n";
    return reply(caller, answer);
  }
  if (words.empty()) return reply(caller, bad_usage("expected a command; `help` lists them"));
  run_command(caller, std::move(words), request);
}

void ConsoleSteering::run_command(const Caller& caller, Words words,
                                  const control::Request& request) {
  const std::string command = words.front();
  words.erase(words.begin());
  if (command == "watch") {
    if (words != Words{"events"}) return reply(caller, bad_usage("usage: watch events"));
    return streams_.follow(caller.peer, caller.id, {}, caller.json, view());
  }
  bool follows = false;
  if (command == "get" && get_table(view(), words, follows) && follows) {
    return streams_.follow(caller.peer, caller.id, words, caller.json, view());
  }
  words.insert(words.begin(), command);
  if (const auto answer = look(words, caller.json)) return reply(caller, *answer);
  if (act(caller, words, request)) return;
  const auto moved = move(caller, words);
  if (moved) reply(caller, *moved);
}

std::optional<Answer> ConsoleSteering::look(const Words& words, bool json) const {
  const std::string& command = words.front();
  const Words rest(words.begin() + 1, words.end());
  if (command == "get") return get(view(), rest, json);
  if (command == "describe") return describe(view(), rest, json);
  if (command == "explain") return explain(view(), rest, json);
  if (command == "top") return top(view(), rest, json);
  if (command == "help") return help(rest, json);
  if (command == "status") return rest.empty() ? status(json) : bad_usage("usage: status");
  if (command == "save") return save(rest);
  return std::nullopt;
}

// What changes how the run goes on; nothing where the answer comes later.
std::optional<Answer> ConsoleSteering::move(const Caller& caller, const Words& words) {
  const std::string& command = words.front();
  if (command == "speed") return set_speed(words);
  if (command == "step") {
    const Answer answer = step(caller, words);
    if (answer.outcome != control::Reply::OK) return answer;
    return std::nullopt;
  }
  if (command == "rewind") return rewind(caller, words);
  if (command == "pause" || command == "resume" || command == "quit") {
    if (words.size() != 1) return bad_usage("usage: " + command);
    if (command == "pause") pause();
    if (command == "resume") {
      pause();
      paused_ = false;
      pace_.resume(run_->timeline.now());
    }
    if (command == "quit") order_ = Order{Order::What::End, {}};
    return Answer{control::Reply::OK, command == "quit" ? "the run ends here\n" : stand()};
  }
  return bad_usage("no command \"" + command + "\"; `help` lists them");
}

bool ConsoleSteering::act(const Caller& caller, const Words& words,
                          const control::Request& request) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const control::File& file : request.files()) files.emplace_back(file.name(), file.text());
  const RunView run = view();
  const ActContext context{run, fault_plan_, done_, last_number_ + 1, files};
  const Words rest(words.begin() + 1, words.end());
  const std::string& command = words.front();
  ActResult result = tl::unexpected(Answer{});
  if (command == "apply") {
    result = apply_objects(context, rest);
  } else if (command == "delete") {
    result = delete_objects(context, rest);
  } else if (command == "scale") {
    result = scale(context, rest);
  } else if (command == "cordon" || command == "uncordon") {
    result = cordon(context, rest, command == "cordon");
  } else if (command == "drain") {
    result = drain(context, rest);
  } else if (command == "inject") {
    result = inject(context, rest);
  } else if (command == "heal") {
    result = heal(context, rest);
  } else {
    return false;
  }
  if (!result) {
    reply(caller, result.error());
    return true;
  }
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  carry_out(caller, *std::move(result), std::move(text));
  return true;
}

void ConsoleSteering::carry_out(const Caller& caller, Act act, std::string text) {
  ++last_number_;
  act.command.set_at_ns(to_ns(run_->timeline.now()));
  act.command.set_text(std::move(text));
  act.command.set_number(last_number_);
  act.command.set_starts_director(act.command.has_work() && !director_started_);
  do_command(act.command);
  if (act.steps == 0) return reply(caller, {control::Reply::OK, act.text, {{"done", act.text}}});
  if (paused_) {
    return reply(caller, {control::Reply::OK,
                          "will be " + act.done + " when the run goes on\n",
                          {{"pending", act.steps}}});
  }
  waiting_[last_number_] = {caller, act.steps, act.done, {control::Reply::OK, "", Json::array()}};
}

void ConsoleSteering::do_command(const journal::Command& command) {
  director_started_ = director_started_ || command.starts_director();
  apply_command(command, run_->timeline);
  if (run_->journal != nullptr) run_->journal->note(command);
  done_.push_back(command);
}

void ConsoleSteering::answer_ended_steps() {
  for (const director::StepEnded& ended : ends_->take()) {
    const auto found = waiting_.find(ended.command());
    if (found == waiting_.end()) continue;
    Waiting& waiting = found->second;
    const bool ok = ended.code() >= 200 && ended.code() < 300;
    waiting.answer.text +=
        ended.object() + " " +
        (ok ? waiting.done : "refused: " + std::to_string(ended.code()) + " " + ended.message()) +
        "\n";
    waiting.answer.json.push_back(
        {{"object", ended.object()}, {"code", ended.code()}, {"message", ended.message()}});
    if (!ok) waiting.answer.outcome = control::Reply::REFUSED;
    if (--waiting.steps != 0) continue;
    reply(waiting.caller, waiting.answer);
    waiting_.erase(found);
  }
}

void ConsoleSteering::reply(const Caller& caller, const Answer& answer, bool more) {
  control::Reply reply;
  reply.set_id(caller.id);
  reply.set_outcome(answer.outcome);
  const bool is_error = answer.outcome != control::Reply::OK;
  if (caller.json && is_error && answer.json.is_null()) {
    reply.set_text(Json{{"error", answer.text}}.dump() + "\n");
  } else if (caller.json && !answer.json.is_null()) {
    reply.set_text(answer.json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  } else if (caller.json && !answer.text.empty() && answer.text.front() != '{' &&
             answer.text.front() != '[') {
    reply.set_text(Json{{"text", answer.text}}.dump() + "\n");
  } else {
    reply.set_text(answer.text);
  }
  for (const auto& [name, text] : answer.files) {
    control::File& file = *reply.add_files();
    file.set_name(name);
    file.set_text(text);
  }
  reply.set_more(more);
  reply.set_now_ns(to_ns(run_->timeline.now()));
  if (!server_.send(caller.peer, reply)) peers_.erase(caller.peer);
}

}  // namespace troupe::console
