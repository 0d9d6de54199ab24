#include "messages/dns_names.h"

#include <algorithm>

namespace troupe {
namespace {

constexpr std::size_t kLabelLength = 63;
constexpr std::size_t kSubdomainLength = 253;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool has_label_form(std::string_view text) {
  if (text.empty() || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-'; });
}

}  // namespace

bool is_dns_label(std::string_view text) {
  return text.size() <= kLabelLength && has_label_form(text);
}

bool is_dns_subdomain(std::string_view text) {
  if (text.size() > kSubdomainLength) return false;
  while (true) {
    const auto dot = text.find('.');
    if (!has_label_form(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace troupe
