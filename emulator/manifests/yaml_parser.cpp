#include "emulator/manifests/yaml_parser.h"

#include <algorithm>
#include <istream>
#include <streambuf>

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "emulator/manifests/text_check.h"
#include "emulator/manifests/tree_builder.h"

namespace troupe::manifests {
namespace {

/// A stream over bytes that are already in memory.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string& text) {
    setg(text.data(), text.data(), text.data() + text.size());
  }
};

/// What the parser is given: TABs that YAML allows and the library does not, in JSON and in blank
/// lines, are spaces.
std::string prepared(std::string_view text) {
  std::string copy(text);
  const bool is_json = looks_like_json(text);
  for (std::size_t start = 0; start < copy.size();) {
    const std::size_t end = std::min(copy.find('\n', start), copy.size());
    const bool is_blank = copy.find_first_not_of(" \t\r", start) >= end;
    const auto first = copy.begin() + static_cast<std::ptrdiff_t>(start);
    if (is_json || is_blank)
      std::replace(first, copy.begin() + static_cast<std::ptrdiff_t>(end), '\t', ' ');
    start = end + 1;
  }
  return copy;
}

/// Lines by number, for messages.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text), starts_{0} {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos;
         at = text.find('\n', at + 1)) {
      starts_.push_back(at + 1);
    }
  }

  /// Line `number`, from 1; empty beyond the end.
  [[nodiscard]] std::string_view at(int number) const {
    const auto index = static_cast<std::size_t>(number) - 1;
    if (number < 1 || index >= starts_.size()) return {};
    const std::string_view rest = text_.substr(starts_[index]);
    return rest.substr(0, rest.find_first_of("\r\n"));
  }
  /// All of the text from a place on.
  [[nodiscard]] std::string_view from(Place place) const {
    const std::size_t start = starts_[static_cast<std::size_t>(place.line) - 1];
    return text_.substr(std::min(text_.size(), start + static_cast<std::size_t>(place.column)));
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

/// The library ends a document at the first thing that does not fit its indentation and calls the
/// rest another one. A further document is one only after `---` or `...`.
void refuse_leftover(const Lines& lines, int line) {
  if (lines.at(line).starts_with("---")) return;
  for (int before = line - 1; before > 0; --before) {
    const std::string_view previous = lines.at(before);
    const std::size_t start = previous.find_first_not_of(" \t");
    if (start == std::string_view::npos || previous[start] == '#' || previous[start] == '%')
      continue;
    if (previous.starts_with("...") || previous.starts_with("---")) return;
    break;
  }
  throw StopParsing(line,
                    "found something that continues nothing, expected the indentation of the lines "
                    "before, or ---");
}

/// The library takes the end of the file for the end of a quoted text. Such a text can only be the
/// last one.
void refuse_unclosed_quote(const Lines& lines, Place place) {
  if (place.line == 0) return;
  const std::string_view rest = lines.from(place);
  if (rest.empty() || (rest[0] != '"' && rest[0] != '\'')) return;
  const char quote = rest[0];
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '\\' && quote == '"') {
      ++at;
    } else if (rest[at] == quote) {
      return;
    }
  }
  throw StopParsing(place.line, "found a quote that is never closed");
}

void parse_documents(std::string_view text, const Lines& lines, const std::string& file,
                     YamlFile& result) {
  std::string source = prepared(text);
  ViewBuffer buffer(source);
  std::istream stream(&buffer);
  YAML::Parser parser(stream);
  Reporter reporter(file, result.diagnostics);
  TreeBuilder builder(reporter);
  Place last;
  while (parser.HandleNextDocument(builder)) {
    const Place start = builder.document_start();
    // The library does not step over what begins no value, such as a comma, and would stay there
    // for ever.
    if (start == last) throw StopParsing(start.line, "found something that begins no value");
    if (last != Place{}) refuse_leftover(lines, start.line);
    last = start;
    if (YamlRef document = builder.take_document()) result.documents.push_back(std::move(document));
  }
  refuse_unclosed_quote(lines, builder.last_quoted());
}

/// A syntax error, with the cause in plain words where it is known.
Diagnostic syntax_error(std::string_view text, const std::string& file, int line,
                        const std::string& message) {
  const auto problem = find_template(text);
  if (problem && (line == 0 || problem->line <= line))
    return {file, problem->line, "", problem->message};
  return {file, line, "", message};
}

}  // namespace

YamlFile parse_yaml(std::string_view text, const std::string& file) {
  YamlFile result;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  if (const auto problem = check_text(text)) {
    result.diagnostics.push_back({file, problem->line, "", problem->message});
    return result;
  }
  const Lines lines(text);
  try {
    parse_documents(text, lines, file, result);
  } catch (const StopParsing& stop) {
    result.diagnostics.push_back(syntax_error(text, file, stop.line, stop.what()));
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 0 : error.mark.line + 1;
    const std::string found =
        line > 0 ? ", found \"" + std::string(lines.at(line).substr(0, 60)) + "\"" : "";
    result.diagnostics.push_back(
        syntax_error(text, file, line, "not valid YAML: " + error.msg + found));
  }
  return result;
}

}  // namespace troupe::manifests
