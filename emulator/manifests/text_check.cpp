#include "emulator/manifests/text_check.h"

#include <algorithm>
#include <array>

namespace troupe::manifests {

const char* const kTemplateMessage =
    "found a template that was not rendered, expected plain YAML: render it first (helm template, "
    "kustomize build), or "
    "quote the text if the braces are meant";

namespace {

std::string_view without_right_spaces(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

/// True if the line ends with the mark of a block scalar: `key: |`, `- >-`.
bool opens_block(std::string_view line) {
  line = without_right_spaces(line.substr(0, line.find(" #")));
  const std::size_t space = line.find_last_of(' ');
  const std::string_view mark = space == std::string_view::npos ? line : line.substr(space + 1);
  return !mark.empty() && (mark[0] == '|' || mark[0] == '>') && mark.size() <= 3 &&
         mark.find_first_not_of("+-123456789", 1) == std::string_view::npos;
}

/// The number of the first line outside block scalars, blank lines left out, that is meant; 0 if
/// none is.
int first_line(std::string_view text, bool (*is_meant)(std::string_view)) {
  constexpr std::size_t kNoBlock = std::string_view::npos;
  std::size_t block_indent = kNoBlock;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t indent = line.find_first_not_of(' ');
    if (without_right_spaces(line).empty()) continue;
    if (block_indent != kNoBlock && indent > block_indent) continue;
    block_indent = kNoBlock;
    if (is_meant(line)) return number;
    if (opens_block(line)) block_indent = indent;
  }
  return 0;
}

std::optional<TextProblem> find_tab(std::string_view text) {
  const int line = first_line(text, [](std::string_view candidate) {
    return candidate[candidate.find_first_not_of(' ')] == '\t';
  });
  if (line == 0) return std::nullopt;
  return TextProblem{
      line, "found a TAB as indentation, expected spaces: YAML is never indented with TABs"};
}

/// The length of the UTF-8 sequence that begins with `lead`; 0 if none does.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

/// True if `bytes`, whose length its lead byte gave, is one well-formed character.
bool well_formed(std::string_view bytes) {
  const auto byte = [bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if ((byte(i) & 0xc0) != 0x80) return false;
  }
  if (bytes.size() == 3 && byte(0) == 0xe0 && byte(1) < 0xa0) return false;  // overlong
  if (bytes.size() == 3 && byte(0) == 0xed && byte(1) > 0x9f) return false;  // a surrogate
  if (bytes.size() == 4 && byte(0) == 0xf0 && byte(1) < 0x90) return false;  // overlong
  return !(bytes.size() == 4 && byte(0) == 0xf4 && byte(1) > 0x8f);          // beyond Unicode
}

bool is_control(unsigned char c) {
  return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

std::optional<TextProblem> find_garbage(std::string_view text) {
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = sequence_length(lead);
    if (is_control(lead))
      return TextProblem{line, "found a control character, expected text: is this a binary file?"};
    if (length == 0 || at + length > text.size() || !well_formed(text.substr(at, length))) {
      return TextProblem{
          line, "found bytes that are not UTF-8, expected UTF-8 text: is this a binary file?"};
    }
    if (lead == '\n') ++line;
    at += length;
  }
  return std::nullopt;
}

/// True if one of the words stands right after an opening `{{`, `{{-` or `{{ `.
bool names_helm(std::string_view scalar) {
  constexpr std::array<std::string_view, 16> kWords = {
      ".Values", ".Release", ".Chart",    ".Capabilities", ".Files",  ".Template",
      "$.",      "include ", "template ", "tpl ",          "toYaml ", "lookup ",
      "if ",     "range ",   "with ",     "end "};
  for (std::size_t at = scalar.find("{{"); at != std::string_view::npos;
       at = scalar.find("{{", at + 2)) {
    const std::size_t word = scalar.find_first_not_of("- ", at + 2);
    if (word == std::string_view::npos) return false;
    const std::string_view rest = scalar.substr(word);
    if (std::any_of(kWords.begin(), kWords.end(),
                    [rest](std::string_view w) { return rest.starts_with(w); }))
      return true;
  }
  return false;
}

bool has_template_syntax(std::string_view text) {
  const auto has = [text](std::string_view mark) {
    return text.find(mark) != std::string_view::npos;
  };
  return (has("{{") && has("}}")) || (has("{%") && has("%}")) || has("%{ ");
}

/// True if the first brace of the line stands behind a quote: such braces are meant.
bool is_quoted(std::string_view line) {
  const std::string_view before = line.substr(0, line.find('{'));
  return before.find_first_of("\"'") != std::string_view::npos;
}

/// `%{ if x }` at the start of a line, which YAML takes for a directive and skips.
std::optional<TextProblem> find_template_directive(std::string_view text) {
  const int line =
      first_line(text, [](std::string_view candidate) { return candidate.starts_with("%{"); });
  if (line == 0) return std::nullopt;
  return TextProblem{line, kTemplateMessage};
}

}  // namespace

std::optional<TextProblem> check_text(std::string_view text) {
  if (text.size() > kMaxFileBytes) {
    return TextProblem{0, "found " + std::to_string(text.size() >> 20) + " MiB, expected at most " +
                              std::to_string(kMaxFileBytes >> 20) + " MiB: split the file"};
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return TextProblem{1, "found UTF-16 text, expected UTF-8: save the file as UTF-8"};
  }
  if (auto problem = find_garbage(text)) return problem;
  if (looks_like_json(text)) return std::nullopt;
  if (auto problem = find_tab(text)) return problem;
  return find_template_directive(text);
}

bool looks_like_json(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos) return false;
  const std::string_view start = text.substr(at, 2);
  return (start[0] == '{' && start != "{{" && start != "{%") || start[0] == '[';
}

std::optional<TextProblem> find_template(std::string_view text) {
  const int line = first_line(text, [](std::string_view candidate) {
    const std::string_view content = candidate.substr(candidate.find_first_not_of(" \t"));
    const bool looks_so = has_template_syntax(candidate) || content.starts_with("{{");
    return content[0] != '#' && looks_so && !is_quoted(candidate);
  });
  if (line == 0) return std::nullopt;
  return TextProblem{line, kTemplateMessage};
}

bool is_template(std::string_view scalar, bool plain) {
  if (scalar.find('\n') != std::string_view::npos) return false;
  return plain ? has_template_syntax(scalar) : names_helm(scalar);
}

}  // namespace troupe::manifests
