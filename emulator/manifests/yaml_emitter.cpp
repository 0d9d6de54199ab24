#include "emulator/manifests/yaml_emitter.h"

#include <algorithm>
#include <string_view>

#include "emulator/manifests/yaml_node.h"

namespace troupe::manifests {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '/' || c == '.' || c == '-';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// True if it begins and ends as words do: "-c" and "25%" do, "-" and "---" do not.
bool has_plain_ends(const std::string& text) {
  if (text.empty() || !(is_word(text.back()) || text.back() == '%')) return false;
  if (text[0] != '-') return is_word(text[0]);
  const std::size_t first = text.find_first_not_of('-');
  return first != std::string::npos && is_letter(text[first]);
}

/// True if some reader may take the text for a number, a time or a word of the language.
bool is_ambiguous(const std::string& text) {
  YamlNode node;
  node.plain = true;
  node.text = text;
  const bool is_null = text == "null" || text == "Null" || text == "NULL";
  const bool is_short_bool = text == "y" || text == "Y" || text == "n" || text == "N";
  const bool is_numeric = text.find_first_of("0123456789") != std::string::npos &&
                          text.find_first_not_of("0123456789.:_-+eExob") == std::string::npos;
  return is_null || is_short_bool || is_numeric || scalar_type(node) != ScalarType::Text;
}

/// A text that no reader takes for anything but itself: words, spaces between them, no mark of
/// YAML's.
bool is_safe_plain(const std::string& text) {
  constexpr std::string_view kInside = " :@+=,%";
  if (!has_plain_ends(text) || text.find(": ") != std::string::npos) return false;
  const bool plain = std::all_of(text.begin(), text.end(), [&](char c) {
    return is_word(c) || kInside.find(c) != std::string_view::npos;
  });
  return plain && !is_ambiguous(text);
}

/// True if the text can stand in a literal block: printable lines, none of which begins or ends
/// with a space.
bool is_block(const std::string& text) {
  if (text.find('\n') == std::string::npos || text.front() == ' ' || text.front() == '\n')
    return false;
  if (text.find(" \n") != std::string::npos || text.back() == ' ') return false;
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f;
  });
}

std::string quoted(const std::string& text) {
  return JsonTree(text).dump(-1, ' ', false, JsonTree::error_handler_t::replace);
}

class Emitter {
 public:
  std::string emit(const JsonTree& tree) {
    if (is_nested(tree)) {
      nested(tree, 0, false);
    } else {
      text_ += scalar(tree, 0) + "\n";
    }
    return std::move(text_);
  }

 private:
  static bool is_nested(const JsonTree& tree) { return tree.is_structured() && !tree.empty(); }

  /// What stands behind a key or a dash on its line, and for a block below it.
  static std::string scalar(const JsonTree& tree, std::size_t indent) {
    if (!tree.is_string()) return tree.dump();
    const auto& text = tree.get_ref<const std::string&>();
    if (is_safe_plain(text)) return text;
    return is_block(text) ? block(text, indent) : quoted(text);
  }

  static std::string block(const std::string& text, std::size_t indent) {
    const std::size_t end = text.find_last_not_of('\n') + 1;
    const std::size_t newlines = text.size() - end;
    std::string result = newlines == 0 ? "|-" : newlines == 1 ? "|" : "|+";
    for (std::size_t start = 0; start < text.size();) {
      const std::string line = text.substr(start, text.find('\n', start) - start);
      result += "\n" + (line.empty() ? "" : std::string(indent, ' ') + line);
      start += line.size() + 1;
    }
    return result;
  }

  /// The entries of a list or map, each on lines of its own; the first without indent if it follows
  /// a dash.
  void nested(const JsonTree& tree, std::size_t indent, bool after_dash) {
    for (const auto& [key, value] : tree.items()) {
      if (!after_dash) text_.append(indent, ' ');
      after_dash = false;
      if (tree.is_array()) {
        text_ += "- ";
        item(value, indent + 2);
      } else {
        text_ += (is_safe_plain(key) ? key : quoted(key)) + ":";
        member(value, indent + 2);
      }
    }
  }

  void item(const JsonTree& value, std::size_t indent) {
    if (is_nested(value)) return nested(value, indent, true);
    text_ += scalar(value, indent) + "\n";
  }

  void member(const JsonTree& value, std::size_t indent) {
    if (!is_nested(value)) {
      text_ += " " + scalar(value, indent) + "\n";
      return;
    }
    text_ += "\n";
    nested(value, indent, false);
  }

  std::string text_;
};

}  // namespace

std::string emit_yaml(const JsonTree& tree) {
  return Emitter().emit(tree);
}

}  // namespace troupe::manifests
