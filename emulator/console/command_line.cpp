#include "emulator/console/command_line.h"

#include <algorithm>
#include <utility>

namespace troupe::console {

Result<std::vector<std::string>> split_line(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  int depth = 0;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0) {
      const bool ends = c == quote;
      if (ends) quote = 0;
      if (!ends || depth > 0) word += c;  // inside a mapping the quotes are YAML's
      continue;
    }
    if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
      if (depth > 0) word += c;
    } else if ((c == ' ' || c == '\t') && depth == 0) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      depth += c == '{' || c == '[' ? 1 : 0;
      depth -= c == '}' || c == ']' ? 1 : 0;
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return fail(std::string("expected a closing ") + quote);
  if (depth != 0) return fail("expected as many closing braces and brackets as opening ones");
  if (in_word) words.push_back(std::move(word));
  return words;
}

namespace {

const OptionSpec* find_option(const std::vector<OptionSpec>& known, std::string_view name) {
  const auto at = std::find_if(known.begin(), known.end(), [&](const OptionSpec& option) {
    return name.size() == 1 ? option.letter == name.front() : option.name == name;
  });
  return at == known.end() ? nullptr : &*at;
}

}  // namespace

Result<CommandLine> parse_words(const std::vector<std::string>& words,
                                const std::vector<OptionSpec>& known) {
  CommandLine line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word.front() != '-') {
      line.arguments.push_back(word);
      continue;
    }
    const bool is_long = word.starts_with("--");
    const std::size_t equals = is_long ? word.find('=') : std::string::npos;
    const std::string name = is_long
                                 ? word.substr(2, equals == std::string::npos ? equals : equals - 2)
                                 : word.substr(1, 1);
    const OptionSpec* option = find_option(known, name);
    if (option == nullptr) return fail("unknown option " + word);
    std::string value = "true";
    if (option->takes_value) {
      if (equals != std::string::npos) {
        value = word.substr(equals + 1);
      } else if (!is_long && word.size() > 2) {
        value = word.substr(word[2] == '=' ? 3 : 2);
      } else if (i + 1 < words.size()) {
        value = words[++i];
      } else {
        return fail("option " + word + " needs a value");
      }
    } else if (equals != std::string::npos || (!is_long && word.size() > 2)) {
      return fail("option " + word + " takes no value");
    }
    line.options[option->name] = value;
  }
  return line;
}

}  // namespace troupe::console
