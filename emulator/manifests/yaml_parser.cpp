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

/// What the parser is given: JSON may be indented with TABs, which YAML's flow style must not be.
std::string prepared(std::string_view text) {
  std::string copy(text);
  if (looks_like_json(text)) std::replace(copy.begin(), copy.end(), '\t', ' ');
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

void parse_documents(std::string_view text, const Lines& lines, const std::string& file,
                     YamlFile& result) {
  std::string source = prepared(text);
  ViewBuffer buffer(source);
  std::istream stream(&buffer);
  YAML::Parser parser(stream);
  TreeBuilder builder(file, result.diagnostics);
  for (int documents = 0; parser.HandleNextDocument(builder); ++documents) {
    if (documents > 0) refuse_leftover(lines, builder.document_line());
    if (YamlRef document = builder.take_document()) result.documents.push_back(std::move(document));
  }
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
