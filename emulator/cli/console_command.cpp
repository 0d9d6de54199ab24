// `troupe console`: a person at a terminal works a run. `troupe ctl`: a script does.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>

#include <readline/history.h>
#include <readline/readline.h>
#include <CLI/CLI.hpp>

#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"
#include "emulator/console/command_line.h"
#include "emulator/console/control_client.h"

namespace troupe::cli {
namespace {

using console::ControlClient;
using std::chrono::milliseconds;

constexpr auto kPatience = milliseconds(200);
// Waits of kPatience after which a run that does not answer is looked for.
constexpr int kWaitsBetweenProbes = 5;
constexpr int kHistoryMax = 2000;

std::atomic<bool> interrupted{false};

void note_interrupt(int) {
  interrupted = true;
}

void print_error(const Error& error) {
  std::cerr << "troupe: " << (error.where.empty() ? "" : error.where + ": ") << error.message
            << '\n';
}

void write_files(const control::Reply& reply) {
  for (const control::File& file : reply.files()) {
    std::ofstream out(file.name());
    out << file.text();
    if (!out.flush()) std::cerr << "troupe: " << file.name() << ": cannot be written\n";
  }
}

int exit_code_of(control::Reply::Outcome outcome) {
  switch (outcome) {
    case control::Reply::OK:
      return kHeld;
    case control::Reply::REFUSED:
      return kNotHeld;
    case control::Reply::BAD_USAGE:
      return kBadInput;
    default:
      return kDefect;
  }
}

// The replies to one command, as they come. `moment` is set to the run's time.
int converse(ControlClient& client, const std::vector<std::string>& words, bool json,
             std::int64_t* moment) {
  const Result<std::uint64_t> id = client.send(words, json);
  if (!id) {
    print_error(id.error());
    return kBadInput;
  }
  interrupted = false;
  int waits = 0;
  while (true) {
    const std::optional<control::Reply> reply = client.receive(*id, kPatience);
    if (interrupted) {
      client.cancel(*id);
      return kHeld;
    }
    if (!reply) {
      if (client.ended() || (++waits % kWaitsBetweenProbes == 0 && !client.is_alive())) {
        std::cerr << "troupe: the run has ended\n";
        return kDefect;
      }
      continue;
    }
    write_files(*reply);
    if (moment != nullptr) *moment = reply->now_ns();
    const bool ok = reply->outcome() == control::Reply::OK;
    std::ostream& out = ok || json ? std::cout : std::cerr;
    out << reply->text();
    if (!reply->text().empty() && reply->text().back() != '\n') out << '\n';
    out.flush();
    if (!reply->more()) return exit_code_of(reply->outcome());
  }
}

std::filesystem::path history_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (state != nullptr) return std::filesystem::path(state) / "troupe_history";
  return std::filesystem::path(home == nullptr ? "." : home) / ".troupe_history";
}

// readline calls back without a word of ours, so who is asked stands here while it reads a line.
ControlClient* asked = nullptr;

char* next_candidate(const char*, int state) {
  static std::vector<std::string> candidates;
  static std::size_t next = 0;
  if (state == 0) {
    Result<std::vector<std::string>> words =
        console::split_line(std::string(rl_line_buffer, static_cast<std::size_t>(rl_point)));
    candidates.clear();
    next = 0;
    if (!words) return nullptr;
    const bool at_new_word = rl_point == 0 || rl_line_buffer[rl_point - 1] == ' ';
    if (at_new_word) words->emplace_back();
    candidates = asked->complete(*std::move(words));
  }
  return next < candidates.size() ? strdup(candidates[next++].c_str()) : nullptr;
}

char** complete(const char* text, int, int) {
  rl_attempted_completion_over = 1;
  return rl_completion_matches(text, next_candidate);
}

bool read_line(const std::string& prompt, std::string& line) {
  if (isatty(STDIN_FILENO) == 0) return static_cast<bool>(std::getline(std::cin, line));
  char* const typed = readline(prompt.c_str());
  if (typed == nullptr) return false;
  line = typed;
  std::free(typed);
  if (!line.empty()) add_history(line.c_str());
  return true;
}

int talk(ControlClient& client) {
  std::int64_t moment = 0;
  int code = converse(client, {"status"}, false, &moment);
  std::string line;
  while (code != kDefect || client.is_alive()) {
    char stamp[32];
    std::snprintf(stamp, sizeof stamp, "%.3f", static_cast<double>(moment) / 1e9);
    if (!read_line(std::string("troupe ") + stamp + "s> ", line)) break;
    const Result<std::vector<std::string>> words = console::split_line(line);
    if (!words) {
      print_error(words.error());
      continue;
    }
    if (words->empty()) continue;
    if (words->front() == "exit" || words->front() == "detach") break;
    code = converse(client, *words, false, &moment);
    if (words->front() == "quit" && code == kHeld) break;
  }
  return kHeld;
}

int open_console(const std::string& where) {
  const Result<std::unique_ptr<ControlClient>> client = ControlClient::dial(where);
  if (!client) {
    print_error(client.error());
    return kDefect;
  }
  std::signal(SIGINT, note_interrupt);
  asked = client->get();
  rl_attempted_completion_function = complete;
  rl_readline_name = "troupe";
  rl_basic_word_break_characters = const_cast<char*>(" \t");
  const std::string history = history_file().string();
  read_history(history.c_str());
  if (isatty(STDIN_FILENO) != 0) {
    std::cout << "`help` lists the commands; `exit` leaves the console, `quit` ends the run\n";
  }
  const int code = talk(**client);
  stifle_history(kHistoryMax);
  write_history(history.c_str());
  return code;
}

int control(std::vector<std::string> words) {
  const bool json = std::erase(words, "--json") != 0;
  if (words.size() < 2) {
    std::cerr << "usage: troupe ctl RUN_DIR|ENDPOINT COMMAND... [--json]\n";
    return kBadInput;
  }
  const Result<std::unique_ptr<ControlClient>> client = ControlClient::dial(words.front());
  if (!client) {
    print_error(client.error());
    return kDefect;
  }
  words.erase(words.begin());
  return converse(**client, words, json, nullptr);
}

}  // namespace

void add_console(CLI::App& app, int& exit_code) {
  auto where = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("console", "work a run by hand while it goes on");
  command->add_option("RUN", *where,
                      "the run folder or its endpoint; else the latest run below runs/");
  command->callback([where, &exit_code] { exit_code = open_console(*where); });
}

void add_ctl(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "ctl", "one command of the console, for scripts: ctl RUN COMMAND... [--json]");
  command->prefix_command();
  command->footer(
      "`troupe ctl RUN help` lists the commands. Exit codes: 0 done, 1 refused or not found, 2 "
      "bad\n"
      "usage, 3 nobody answers.");
  command->callback([command, &exit_code] { exit_code = control(command->remaining()); });
}

}  // namespace troupe::cli
