#include "emulator/manifests/integer.h"

#include <charconv>

namespace troupe::manifests {

std::optional<Integer> parse_integer(std::string_view text) {
  Integer value;
  value.negative = text.starts_with('-');
  if (value.negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with("0o")) {
    base = 8;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0' &&
             text.find_first_of("89") == std::string_view::npos) {
    base = 8;
  }
  if (text.empty() || text[0] == '-') return std::nullopt;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value.magnitude, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace troupe::manifests
