#include "emulator/traffic/csv_line.h"

#include <utility>

namespace troupe::traffic {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Takes a quoted field and its closing quote off the front of `text`.
std::optional<std::string> take_quoted(std::string_view& text) {
  std::string field;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '"') {
      field += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '"') {
      field += text[i++];
    } else {
      text.remove_prefix(i + 1);
      return field;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::string>> split_csv(std::string_view line) {
  std::vector<std::string> fields;
  std::string_view rest = trimmed(line);
  while (true) {
    rest = trimmed(rest);
    std::string quoted;
    if (rest.starts_with('"')) {
      auto field = take_quoted(rest);
      if (!field) return std::nullopt;
      quoted = std::move(*field);
    }
    const auto comma = rest.find(',');
    fields.push_back(quoted + std::string(trimmed(rest.substr(0, comma))));
    if (comma == std::string_view::npos) return fields;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace troupe::traffic
