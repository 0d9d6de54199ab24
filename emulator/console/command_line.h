// A line of the console as words, and words as a command's arguments and options.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/result.h"

namespace troupe::console {

/// Words as a shell splits them: quotes hold together, and so do braces and brackets, so that a
/// YAML flow mapping is one word.
[[nodiscard]] Result<std::vector<std::string>> split_line(std::string_view line);

/// kubectl's habits: "-n ns", "-nns", "--namespace=ns", "--replicas 3", "-A".
struct OptionSpec {
  char letter = 0;   ///< 0: none
  const char* name;  ///< without the dashes
  bool takes_value = true;
};

struct CommandLine {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> options;  ///< by long name; a flag's value is "true"

  [[nodiscard]] bool has(const std::string& option) const { return options.contains(option); }
  [[nodiscard]] std::string get(const std::string& option, const std::string& fallback = "") const {
    const auto found = options.find(option);
    return found == options.end() ? fallback : found->second;
  }
};

/// Fails on an option that the command does not have.
[[nodiscard]] Result<CommandLine> parse_words(const std::vector<std::string>& words,
                                              const std::vector<OptionSpec>& known);

}  // namespace troupe::console
