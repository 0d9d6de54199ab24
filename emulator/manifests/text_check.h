// What can be said of a file before it is parsed: is it text at all, is it indented with TABs, is
// it a template that nobody rendered. Parsers answer such files with riddles; these checks name the
// cause and the remedy.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::manifests {

/// A file larger than this is refused: manifests of ten thousand pods are a tenth of it.
inline constexpr std::size_t kMaxFileBytes = 64UL << 20;

struct TextProblem {
  int line = 0;
  std::string message;
};

/// Too large, not UTF-8, control characters, TABs as indentation. JSON may be indented as it likes.
[[nodiscard]] std::optional<TextProblem> check_text(std::string_view text);

/// True if the first character that is no space begins a JSON object or list.
[[nodiscard]] bool looks_like_json(std::string_view text);

/// The first line that looks like a template's own syntax: {{ }}, {% %} or %{ } outside comments
/// and block scalars.
[[nodiscard]] std::optional<TextProblem> find_template(std::string_view text);
/// The same for one scalar. A quoted one is a template only if it names Helm's own objects or
/// functions, since chat templates and dashboards are full of braces.
[[nodiscard]] bool is_template(std::string_view scalar, bool plain);

/// The message for both.
extern const char* const kTemplateMessage;

}  // namespace troupe::manifests
