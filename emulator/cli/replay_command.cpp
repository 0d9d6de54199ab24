#include "emulator/cli/replay_command.h"

#include <algorithm>

namespace troupe::cli {
namespace {

// True of what no shell reads anything into.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./=:,@%+").find(c) != std::string_view::npos;
}

std::string quoted(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

std::string replay_command(const std::string& scenario, const config::LoadOptions& load,
                           std::uint64_t seed) {
  std::string command = "troupe run " + quoted(scenario) + " --seed " + std::to_string(seed);
  if (!load.variant.empty()) command += " --variant " + quoted(load.variant);
  for (const std::string& set : load.sets) command += " --set " + quoted(set);
  return command;
}

}  // namespace troupe::cli
