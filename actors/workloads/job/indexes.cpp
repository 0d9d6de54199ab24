#include "actors/workloads/job/indexes.h"

#include <charconv>
#include <optional>

#include "messages/labels.h"

namespace troupe::workloads {
namespace {

std::optional<std::int32_t> take_number(std::string_view& text) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

Indexes parse_indexes(std::string_view text) {
  Indexes result;
  while (!text.empty()) {
    const auto first = take_number(text);
    if (!first) break;
    std::int32_t last = *first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text).value_or(*first);
    }
    for (std::int32_t index = *first; index <= last; ++index) result.insert(result.end(), index);
    if (!text.starts_with(',')) break;
    text.remove_prefix(1);
  }
  return result;
}

std::string to_string(const Indexes& indexes) {
  std::string text;
  for (auto at = indexes.begin(); at != indexes.end();) {
    const std::int32_t first = *at;
    std::int32_t last = first;
    for (++at; at != indexes.end() && *at == last + 1; ++at) last = *at;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    // Two in a row are a range as well: pkg/controller/job/indexed_job_utils.go.
    if (last > first) text += "-" + std::to_string(last);
  }
  return text;
}

std::int32_t index_of(const k8s::Pod& pod) {
  const std::string* text = find_label(pod.metadata().annotations(), kIndexAnnotation);
  std::int32_t index = -1;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), index);
  return index;
}

}  // namespace troupe::workloads
